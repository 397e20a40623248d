import { DevsError, isRecord } from '@devs/core';
import type { Settlement } from './in-flight.ts';
import { UpstreamError } from '../../protocol/upstream.ts';

/** JSON-RPC 2.0. */
export const METHOD_NOT_FOUND = -32_601;
export const INTERNAL_ERROR = -32_603;

/** What an answer says, not taken for more than it is. */
export function readAnswer({ result, error }: Readonly<Record<string, unknown>>): Settlement {
  if (error !== undefined) return readError(error);
  if (!isRecord(result)) return refused('a result that is no object');
  if (result['_meta'] !== undefined && !isRecord(result['_meta'])) return refused('a result whose _meta is no object');
  return { kind: 'result', result };
}

function readError(error: unknown): Settlement {
  if (!isRecord(error)) return refused('an error that is none');
  const { code, message, data } = error;
  if (typeof code !== 'number' || !Number.isSafeInteger(code) || typeof message !== 'string') return refused('an error that is none');
  return { kind: 'failed', cause: new UpstreamError(code, message, data) };
}

/** @param problem in devs's words; for the log alone */
export function refused(problem: string): Settlement {
  return { kind: 'failed', cause: new DevsError('UPSTREAM_ANSWER_REFUSED', { cause: new Error(problem) }) };
}

/** Bytes of memory that a value takes beside those that it was sent as: `[]` is 2 on the wire. */
const BYTES_A_VALUE = 64;

/** What an answer takes in memory, in bytes, about; no further than `most`. */
export function weigh(settlement: Settlement, bytes: number, most: number): number {
  if (settlement.kind !== 'result') return bytes;
  let weight = bytes;
  const left: unknown[] = [settlement.result];
  while (left.length > 0 && weight <= most) {
    const value = left.pop();
    weight += BYTES_A_VALUE;
    // One by one: as arguments of a call a million of them would overflow the stack.
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) left.push(inner);
  }
  return weight;
}
