import { isRecord, readJsonStrictly, type CodeEnd } from '@devs/core';

/** What a guest can say. Each is a claim: of whoever has taken the process over. */
export type GuestMessage =
  | { readonly type: 'call'; readonly id: number; readonly tool: string; readonly args: unknown }
  | { readonly type: 'sleep'; readonly id: number; readonly ms: number }
  | { readonly type: 'print'; readonly text: string; readonly omitted: number }
  | { readonly type: 'end'; readonly end: CodeEnd; readonly sanitize: boolean | undefined; readonly omitted: number };

type Fields = Readonly<Record<string, unknown>>;

const MOST_SLEEP_MS = 86_400_000;
const MOST_MESSAGE = 4_000;

/** Undefined for anything that `prelude.cts` would not send. */
export function parseGuestMessage(json: string): GuestMessage | undefined {
  const reading = readJsonStrictly(json);
  if (!('value' in reading) || !isRecord(reading.value)) return undefined;
  const fields = reading.value;
  switch (fields['type']) {
    case 'call':
      return hasOnly(fields, ['id', 'tool', 'args']) ? parseCall(fields) : undefined;
    case 'sleep':
      return hasOnly(fields, ['id', 'ms']) ? parseSleep(fields) : undefined;
    case 'print':
      return hasOnly(fields, ['text', 'omitted']) ? parsePrint(fields) : undefined;
    case 'end':
      return hasOnly(fields, ['end', 'omitted', 'sanitize']) ? parseEnd(fields) : undefined;
    default:
      return undefined;
  }
}

/** Beside `type`. */
function hasOnly(fields: Fields, names: readonly string[]): boolean {
  return Object.keys(fields).every((name) => name === 'type' || names.includes(name));
}

function parseCall({ id, tool, args }: Fields): GuestMessage | undefined {
  return isCount(id) && typeof tool === 'string' && isRecord(args) ? { type: 'call', id, tool, args } : undefined;
}

function parseSleep({ id, ms }: Fields): GuestMessage | undefined {
  return isCount(id) && isCount(ms) && ms <= MOST_SLEEP_MS ? { type: 'sleep', id, ms } : undefined;
}

function parsePrint({ text, omitted }: Fields): GuestMessage | undefined {
  return typeof text === 'string' && isCount(omitted) ? { type: 'print', text, omitted } : undefined;
}

function parseEnd({ end: said, sanitize, omitted }: Fields): GuestMessage | undefined {
  const end = isRecord(said) ? parseCodeEnd(said) : undefined;
  const isKnown = sanitize === undefined || typeof sanitize === 'boolean';
  return end !== undefined && isKnown && isCount(omitted) ? { type: 'end', end, sanitize, omitted } : undefined;
}

/** Of the ways to end only those that a guest can know of: its time and its calls devs counts itself. */
function parseCodeEnd({ kind, value, isText = false, message, limit }: Fields): CodeEnd | undefined {
  if (kind === 'value' && (value === undefined || typeof value === 'string') && typeof isText === 'boolean') return { kind, value, isText };
  if (kind === 'thrown' && typeof message === 'string' && message.length <= MOST_MESSAGE) return { kind, message };
  if (kind === 'limit' && (limit === 'memory' || limit === 'stack' || limit === 'output')) return { kind, limit };
  return undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
