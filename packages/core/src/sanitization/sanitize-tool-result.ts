import type { OutputConfig } from '../config/output-config.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Made } from '../made.ts';
import { OutputReader } from '../protocol/output-reader.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import { copyPlain, isRefused } from '../validation/plain-copy.ts';
import { cleanJson } from './json/clean-json.ts';
import { toOneLine } from './pipeline/one-line.ts';
import { Tally } from './pipeline/tally.ts';
import { cleanText } from './pipeline/text-pipeline.ts';
import type { TextStep } from './pipeline/text-step.ts';
import { ResultCleaner } from './result-cleaner.ts';
import type { SanitizationContext, SanitizationReport } from './results/sanitization-context.ts';

/** What a model may read. Minted in this file alone. */
export type Clean<Value> = Made<Value, 'sanitization'>;

export interface SanitizedResult {
  readonly result: Clean<ToolResult>;
  readonly report: SanitizationReport;
}

/**
 * The only way out of the gate. Takes whatever a tool gave back, trusts nothing of it, and throws
 * rather than let through what it does not know: the gate then withholds the output.
 */
export function sanitizeToolResult(raw: unknown, config: OutputConfig, context: SanitizationContext): SanitizedResult {
  const { sanitizer, maxBytes, logger, toolName, taskId, turnIndex } = context;
  const onUnsafe = () => logger.warn('OUTPUT_NOT_SAFE_FOR_JSON', { tool_name: toolName, task_id: taskId, turn_index: turnIndex });
  const reader = new OutputReader(sanitizer, { maxBytes, onUnsafe });
  const { result, report } = new ResultCleaner(config, context, reader).clean(raw);
  if (report.truncated) logger.warn('OUTPUT_TRUNCATED', { limitBytes: Math.min(config.maxSizeBytes, reader.maxBytes) });
  return { result: result as Clean<ToolResult>, report };
}

/** How what devs says itself is cleaned: it quotes the caller, file names and the schemas of others. */
export interface SentenceCleaning {
  readonly reader: OutputReader;
  readonly steps: readonly TextStep[];
}

/** One sentence of devs's own for the agent; what it quotes of the caller's cannot break out of its line. */
export function sanitizeSentence(sentence: string, cleaning: SentenceCleaning): Clean<string> {
  return cleanSentence(sentence, cleaning) as Clean<string>;
}

/** What stands beside the sentence, each text on one line like it. Undefined when it cannot be made so: the sentence says it all. */
export function sanitizeRepair(repair: JsonObject, cleaning: SentenceCleaning): Clean<JsonObject> | undefined {
  try {
    const copied = copyPlain(repair);
    if (isRefused(copied)) return undefined;
    const isClean = isCleanText(textsOf(copied.value), cleaning);
    const cleaned = isClean ? copied.value : cleanJson(copied.value, (text) => cleanSentence(text, cleaning), new Tally());
    return cleaned as Clean<JsonObject>;
  } catch {
    return undefined;
  }
}

/** ASCII that stays on its line. */
const PRINTABLE = /^[ -~]*$/;

/** Nothing to clean in any of them: one look at all costs a tenth of one at each. */
function isCleanText(texts: readonly string[], { reader, steps }: SentenceCleaning): boolean {
  if (!texts.every((text) => PRINTABLE.test(text))) return false;
  const joined = texts.join('\n');
  return reader.readSentence(joined) === joined && cleanText(joined, steps, new Tally()) === joined;
}

/** Every string, keys too. */
function textsOf(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const members: readonly (readonly [string, Json])[] = Object.entries(value);
  return members.flatMap(([key, inner]) => [key, ...textsOf(inner)]);
}

function cleanSentence(sentence: string, { reader, steps }: SentenceCleaning): string {
  try {
    return toOneLine(cleanText(reader.readSentence(sentence), steps, new Tally()));
  } catch {
    // A sanitizer that throws must not turn a refusal into an exception.
    return 'The call was refused.';
  }
}
