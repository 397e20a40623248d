import { Buffer } from 'node:buffer';
import { DevsError } from '../errors.ts';
import { isRecord, type Json, type JsonObject } from '../json.ts';
import type { StructuredLogger } from '../logging/structured-logger.ts';
import type { Made } from '../made.ts';
import { bytesOfByteString } from '../protocol/decode.ts';
import type { IOutputSanitizer } from '../protocol/output-sanitizer.ts';
import type { TextContent, ToolResult } from '../protocol/tool-result.ts';
import { copyPlain, isRefused } from '../validation/plain-copy.ts';
import { cleanJson } from './clean-json.ts';

/** What a model may read. Minted in this file alone. */
export type Clean<Value> = Made<Value, 'sanitization'>;

/** What was done, beside the text. */
export interface SanitizationReport {
  readonly truncated: boolean;
}

export interface SanitizedResult {
  readonly result: Clean<ToolResult>;
  readonly report: SanitizationReport;
}

export interface SanitizationContext {
  readonly sanitizer: IOutputSanitizer;
  readonly logger: StructuredLogger;
  readonly toolName: string;
  readonly taskId: string;
  readonly turnIndex: number;
}

/** ASCII that stays on its line. */
const PRINTABLE = /^[ -~]*$/;

/** Blocks beyond this are dropped: each costs the reader and the wire more than its bytes. */
const MAX_BLOCKS = 1_000;

/** Counts what is left of the hard cap, over all parts of one result. */
interface Budget {
  bytes: number;
  truncated: boolean;
}

/**
 * The only way out of the gate. Takes whatever a tool gave back, trusts nothing of it, and throws
 * rather than let through what it does not know: the gate then withholds the output.
 */
export function sanitizeToolResult(raw: unknown, context: SanitizationContext): SanitizedResult {
  const budget: Budget = { bytes: context.sanitizer.maxBytes, truncated: false };
  const result = cleanResult(toResult(raw), { context, budget });
  return { result: result as Clean<ToolResult>, report: { truncated: budget.truncated } };
}

/** One sentence of devs's own for the agent; what it quotes of the caller's cannot break out of its line. */
export function sanitizeSentence(sentence: string, sanitizer: IOutputSanitizer): Clean<string> {
  return toOneLine(sentence, sanitizer) as Clean<string>;
}

/** What stands beside the sentence, each text on one line like it. Undefined when it cannot be made so: the sentence says it all. */
export function sanitizeRepair(repair: JsonObject, sanitizer: IOutputSanitizer): Clean<JsonObject> | undefined {
  try {
    const copied = copyPlain(repair);
    if (isRefused(copied)) return undefined;
    const isPlain = isPlainText(textsOf(copied.value), sanitizer);
    return (isPlain ? copied.value : cleanJson(copied.value, (text) => toOneLine(text, sanitizer))) as Clean<JsonObject>;
  } catch {
    return undefined;
  }
}

/** Nothing to clean in any of them: one look at all costs a tenth of one at each. */
function isPlainText(texts: readonly string[], sanitizer: IOutputSanitizer): boolean {
  if (!texts.every((text) => PRINTABLE.test(text))) return false;
  const joined = texts.join('\n');
  return sanitizer.sanitizeText(joined) === joined;
}

/** Every string, keys too. */
function textsOf(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const members: readonly (readonly [string, Json])[] = Object.entries(value);
  return members.flatMap(([key, inner]) => [key, ...textsOf(inner)]);
}

/** A bare string from a sandbox may hold bytes, one a code unit; a text block's string is text. */
function toResult(raw: unknown): unknown {
  if (raw instanceof Uint8Array) return { content: [{ type: 'text', text: raw }] };
  if (typeof raw === 'string') return { content: [{ type: 'text', text: bytesOfByteString(raw) ?? raw }] };
  return raw;
}

function toOneLine(sentence: string, sanitizer: IOutputSanitizer): string {
  try {
    return sanitizer.sanitizeText(sentence).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
  } catch {
    // A sanitizer that throws must not turn a refusal into an exception.
    return 'The call was refused.';
  }
}

interface Work {
  readonly context: SanitizationContext;
  readonly budget: Budget;
}

function cleanResult(raw: unknown, work: Work): ToolResult {
  if (!isRecord(raw)) throw withheld('the tool gave back no result');
  const { content: blocks, isError, structuredContent } = raw;
  if (!Array.isArray(blocks)) throw withheld('the result has no content');
  if (blocks.length > MAX_BLOCKS) work.budget.truncated = true;
  // By index: a tool's own array may bring a `map` of its own.
  const content: TextContent[] = [];
  for (let index = 0; index < Math.min(blocks.length, MAX_BLOCKS); index += 1) {
    content.push(cleanBlock(blocks[index], work));
  }
  return {
    content,
    ...(typeof isError === 'boolean' && { isError }),
    ...(structuredContent !== undefined && cleanStructured(structuredContent, work)),
  };
}

function cleanBlock(block: unknown, work: Work): TextContent {
  if (!isRecord(block)) throw withheld('a content block is not an object');
  const { type, text } = block;
  if (type !== 'text' && type !== 'error') {
    // Unknown kinds become a notice: an image nobody has checked is not passed on.
    return { type: 'text', text: spend('[content that is not text was left out]', work) };
  }
  if (typeof text !== 'string' && !(text instanceof Uint8Array)) throw withheld('a text block has no text');
  return { type, text: spend(text, work) };
}

/** Cleans one text and takes its bytes off the budget. */
function spend(raw: string | Uint8Array, { context, budget }: Work): string {
  const { text, truncated } = context.sanitizer.clean(raw, budget.bytes);
  budget.bytes = Math.max(0, budget.bytes - Buffer.byteLength(text, 'utf8'));
  if (truncated) budget.truncated = true;
  return safeForJson(text, context);
}

/** Seed 000: what a sanitizer left unsafe is said in the log, and made well formed once more. */
function safeForJson(text: string, { sanitizer, logger, toolName, taskId, turnIndex }: SanitizationContext): string {
  if (sanitizer.isSafeForJSON(text)) return text;
  logger.warn('OUTPUT_NOT_SAFE_FOR_JSON', { tool_name: toolName, task_id: taskId, turn_index: turnIndex });
  return text.toWellFormed();
}

function cleanStructured(value: unknown, { context, budget }: Work): { structuredContent?: Json } {
  const cleaned = cleanWithinCap(value, context.sanitizer);
  const bytes = cleaned === undefined ? Infinity : Buffer.byteLength(JSON.stringify(cleaned), 'utf8');
  if (cleaned === undefined || bytes > budget.bytes) {
    budget.truncated = true;
    return {};
  }
  budget.bytes -= bytes;
  return { structuredContent: cleaned };
}

/** Undefined when one string alone is over the cap. Cut, two long keys could seem to be the same. */
function cleanWithinCap(value: unknown, sanitizer: IOutputSanitizer): Json | undefined {
  let isCut = false;
  try {
    const cleaned = cleanJson(value, (raw) => {
      const { text, truncated } = sanitizer.clean(raw);
      isCut ||= truncated;
      return text;
    });
    return isCut ? undefined : cleaned;
  } catch (cause) {
    if (isCut) return undefined;
    throw cause;
  }
}

function withheld(problem: string): DevsError {
  return new DevsError('OUTPUT_WITHHELD', { cause: new Error(problem) });
}
