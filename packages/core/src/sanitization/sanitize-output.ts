import { Buffer } from 'node:buffer';
import { types } from 'node:util';
import { DEFAULT_OUTPUT_CONFIG, type OutputConfig } from '../config/output-config.ts';
import { readText } from '../protocol/decode.ts';
import type { ContentBlock } from '../protocol/tool-result.ts';
import { validateJsonOutput, type MalformedJson } from './json/json-depth.ts';
import { Tally } from './pipeline/tally.ts';
import { cleanText } from './pipeline/text-pipeline.ts';
import { findBinary, type BinaryContent } from './results/binary.ts';
import { fitBudget } from './results/fit.ts';
import { createSecretDetector } from './secrets/secret-detector.ts';
import { createSteps } from './steps/steps.ts';

export { validateJsonOutput, type MalformedJson };

/** Why output cannot be given to a model (seed 002). */
export type OutputSanitizationError = BinaryContent | MalformedJson;

export type SanitizedOutput =
  | {
      readonly ok: true;
      readonly text: string;
      /** True when something was cut off. Never inferred from the text: a file may quote the message. */
      readonly truncated: boolean;
      /** What was done how often, by `<step>:<rule>`. */
      readonly counts: Readonly<Record<string, number>>;
    }
  | { readonly ok: false; readonly error: OutputSanitizationError };

/** Bytes that are looked at of one output; the rest is cut off. */
const MOST_BYTES = 64 * 1_024 * 1_024;

/**
 * One output as a model may read it (seed 002): decoded, without terminal controls and hidden characters, within its
 * budget. It knows no secrets and no boundaries: those are the gate's, which knows the tool and the operator. Never throws.
 * @example
 * ```ts
 * import { sanitizeOutput } from '@devs/core';
 * console.log(sanitizeOutput('\u001b[31mred\u001b[0m').text); // red
 * ```
 */
export function sanitizeOutput(input: string | Uint8Array, config: Partial<OutputConfig> = {}): SanitizedOutput {
  try {
    return sanitize(input, { ...DEFAULT_OUTPUT_CONFIG, ...config });
  } catch {
    // Bytes whose memory was taken away, a limit that is no number: nothing of it is text to be given out.
    return { ok: false, error: { kind: 'BinaryContent', nullBytes: 0, checkedBytes: 0 } };
  }
}

function sanitize(input: unknown, config: OutputConfig): SanitizedOutput {
  if (typeof input !== 'string' && !types.isUint8Array(input)) throw new TypeError('Output is text or bytes.');
  const binary = config.onBinary === 'reject' ? findBinary(input) : undefined;
  if (binary !== undefined) return { ok: false, error: binary };
  const whole = readText(input, MOST_BYTES);
  const malformed = config.validateJson ? validateJsonOutput(whole.text) : undefined;
  if (malformed !== undefined) return { ok: false, error: malformed };
  const tally = new Tally();
  const detector = createSecretDetector({ enabled: false, allowed: [], fingerprintKey: new Uint8Array(32) });
  const steps = createSteps({ toolName: '', output: config, detector, isBounded: false, triggers: [] });
  const cleaned = cleanText(whole.text, steps, tally);
  const { maxSizeBytes: maxBytes, truncationMessage: message, strategy } = config;
  const { text, rest } = fitBudget(cleaned, { maxBytes, message, strategy });
  if (config.validateJson && (rest !== undefined || whole.truncated)) return { ok: false, error: { kind: 'MalformedJson', reason: 'it is longer than its limit' } };
  return { ok: true, text, truncated: whole.truncated || rest !== undefined, counts: tally.counts };
}

/** True when something of the output was cut off. */
export function wasTruncated(result: SanitizedOutput): boolean {
  return result.ok && result.truncated;
}

/** Bytes of UTF-8 of all text of a result: of an output, or of a call's blocks. Images, sounds and links have none. */
export function contentSize(result: SanitizedOutput | { readonly content: readonly ContentBlock[] }): number {
  if (!('content' in result)) return result.ok ? Buffer.byteLength(result.text, 'utf8') : 0;
  return result.content.reduce((bytes, block) => bytes + Buffer.byteLength(textOf(block), 'utf8'), 0);
}

function textOf(block: ContentBlock): string {
  if (block.type === 'text' || block.type === 'error') return block.text;
  return block.type === 'resource' && 'text' in block.resource ? block.resource.text : '';
}
