import { DevsError } from '../../errors.ts';
import { isRecord } from '../../json.ts';
import { bytesOfByteString } from '../../protocol/decode.ts';

/** The members of what a tool gave back, each read once: a getter may answer differently the second time. */
export interface RawParts {
  /** A tool's own array, which may bring a `map` of its own: to be read by index. */
  readonly blocks: readonly unknown[];
  readonly isError: boolean | undefined;
  readonly structuredContent: unknown;
  readonly meta: unknown;
  /** Defined: the call stands still. What else the result holds is then nothing. */
  readonly inputRequired: unknown;
  /** Defined: a server has answered with an error of the protocol. */
  readonly protocolError: unknown;
}

/** @throws DevsError OUTPUT_WITHHELD for what is no result at all */
export function readRawResult(raw: unknown): RawParts {
  const result = toRecord(raw);
  if (!isRecord(result)) throw withheld('the tool gave back no result');
  const { content, isError, structuredContent, _meta: meta, inputRequired, protocolError } = result;
  if (!Array.isArray(content)) throw withheld('the result has no content');
  return { blocks: content, isError: typeof isError === 'boolean' ? isError : undefined, structuredContent, meta, inputRequired, protocolError };
}

/** A bare string from a sandbox may hold bytes, one a code unit; a text block's string is text. */
function toRecord(raw: unknown): unknown {
  if (raw instanceof Uint8Array) return { content: [{ type: 'text', text: raw }] };
  if (typeof raw === 'string') return { content: [{ type: 'text', text: bytesOfByteString(raw) ?? raw }] };
  return raw;
}

export function withheld(problem: string): DevsError {
  return new DevsError('OUTPUT_WITHHELD', { cause: new Error(problem) });
}
