import { DEFAULT_OUTPUT_CONFIG } from '../config/output-config.ts';
import { findHiddenCharacter } from '../protocol/hidden-characters.ts';
import type { OutputPolicy } from '../sanitization/output-policy.ts';
import { Tally } from '../sanitization/tally.ts';
import { cleanText } from '../sanitization/text-pipeline.ts';

/** UTF-16 units: they stand before every conversation. */
const MOST_CHARACTERS = 32_768;

/**
 * What a server says of itself to every model, cleaned as its tools' descriptions are. Undefined where there is nothing
 * to show, and for a text with a character that nobody sees: a person could not have read what the model would.
 */
export function cleanInstructions(text: string, policy: OutputPolicy): string | undefined {
  if (text.trim() === '' || text.length > MOST_CHARACTERS || findHiddenCharacter(text) !== undefined) return undefined;
  return cleanText(text.toWellFormed(), policy.stepsFor({ name: '', labels: [] }, DEFAULT_OUTPUT_CONFIG, true), new Tally());
}
