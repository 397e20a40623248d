import type { StructuredPolicy } from '../config/defaults.ts';
import type { OutputConfig } from '../config/output-config.ts';
import type { Json, JsonObject } from '../json.ts';
import type { StructuredLogger } from '../logging/structured-logger.ts';
import type { Made } from '../made.ts';
import { OutputReader } from '../protocol/output-reader.ts';
import type { IOutputSanitizer } from '../protocol/output-sanitizer.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import { copyPlain, isRefused } from '../validation/plain-copy.ts';
import { cleanJson } from './clean-json.ts';
import { toOneLine } from './one-line.ts';
import { ResultCleaner } from './result-cleaner.ts';
import { Tally, type Finding } from './tally.ts';
import { cleanText } from './text-pipeline.ts';
import type { TextStep } from './text-step.ts';
import type { Wrapper } from './wrap.ts';

/** What a model may read. Minted in this file alone. */
export type Clean<Value> = Made<Value, 'sanitization'>;

/** What was done, beside the text. It goes to the log; of it only the counts go out. */
export interface SanitizationReport {
  /** True when something was cut off or left out. A field, never inferred from the text. */
  readonly truncated: boolean;
  /** How often each rule changed something, by `<step>:<rule>`. */
  readonly counts: Readonly<Record<string, number>>;
  /** What was masked, by keyed fingerprint: at most 20. */
  readonly findings: readonly Finding[];
}

export interface SanitizedResult {
  readonly result: Clean<ToolResult>;
  readonly report: SanitizationReport;
}

export interface SanitizationContext {
  readonly sanitizer: IOutputSanitizer;
  /** Most bytes of UTF-8 of the whole result. Absent: what the sanitizer says, else the default of `mcp.maxToolOutputBytes`. */
  readonly maxBytes?: number | undefined;
  /** Most characters of the result, beside the bytes of its configuration. Absent: as many as these hold. */
  readonly maxCharacters?: number | undefined;
  readonly logger: StructuredLogger;
  readonly toolName: string;
  readonly taskId: string;
  readonly turnIndex: number;
  /** Only an own tool may speak as devs, and say which piece of a file it shows. */
  readonly authorship: 'own' | 'foreign';
  /** Who asks, where the tool may ask the client something. Absent: it may not. */
  readonly asker?: string | undefined;
  /** Tokens that it may have the client's model write for one prompt (`sanitize.maxSamplingTokens`). */
  readonly maxSamplingTokens: number;
  /** Blocks say whose words they are: those of a prompt. Default false. */
  readonly hasRoles?: boolean | undefined;
  readonly steps: readonly TextStep[];
  /** Puts texts into boundaries; undefined: they stand in none. */
  readonly wrapper: Wrapper | undefined;
  /** What becomes of the structured part where texts stand in boundaries. Absent: `keep`. */
  readonly structured?: StructuredPolicy | undefined;
  /** Of devs's own notices: `signNotice`. */
  readonly noticeId: string;
  /** UUIDs, for the boundaries. */
  readonly createId: () => string;
  /** False when a cleaned structured content is not what the tool has promised. Absent: it has promised nothing. */
  readonly fitsSchema?: ((structured: Json) => boolean) | undefined;
  /** True: clients were listed a schema, and want structured content of each result that is no error. Default false. */
  readonly isStructureListed?: boolean | undefined;
  /** Keeps what the budget cuts off, and gives the handle to read it on with. */
  readonly keep?: ((rest: string) => string | undefined) | undefined;
  /**
   * A piece of what was cleaned and kept before. This very text goes out as it is: of a piece that ends between CR and LF,
   * or behind a joiner, cleaning would make another, and nothing would lead back to where the rest of it begins.
   */
  readonly page?: string | undefined;
  /** The page is one of a text that was asked to be JSON. */
  readonly isJsonPage?: boolean | undefined;
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
