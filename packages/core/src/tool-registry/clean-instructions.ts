import { DEFAULT_OUTPUT_CONFIG } from '../config/output-config.ts';
import { findHiddenCharacter } from '../protocol/hidden-characters.ts';
import type { OutputPolicy } from '../sanitization/output-policy.ts';
import { cutCleaned } from '../sanitization/pipeline/cut-text.ts';
import { Tally } from '../sanitization/pipeline/tally.ts';
import { cleanText } from '../sanitization/pipeline/text-pipeline.ts';

/** UTF-16 units: what is longer is no introduction. */
const MOST_CHARACTERS = 32_768;
const CUT = ' … (cut by devs)';

/**
 * What a server says of itself to every model, cleaned as its tools' descriptions are. Undefined where there is nothing
 * to show, and for a text with a character that nobody sees: a person could not have read what the model would.
 */
export function cleanInstructions(text: string, policy: OutputPolicy): string | undefined {
  if (text.trim() === '' || text.length > MOST_CHARACTERS || findHiddenCharacter(text) !== undefined) return undefined;
  return clean(text.toWellFormed(), policy);
}

/** Cleaned instructions in at most so many UTF-16 units, with a sign where they are cut. */
export function cutInstructions(cleaned: string, mostUnits: number, policy: OutputPolicy): string {
  if (cleaned.length <= mostUnits) return cleaned;
  const most = Math.max(0, mostUnits - CUT.length);
  // What a letter behind it kept from being a trigger, `__otter`, may be one once it is cut.
  return `${cutCleaned(clean(cutCleaned(cleaned, most), policy), most).trimEnd()}${CUT}`;
}

function clean(text: string, policy: OutputPolicy): string {
  return cleanText(text, policy.stepsFor({ name: '', labels: [] }, DEFAULT_OUTPUT_CONFIG, true), new Tally());
}
