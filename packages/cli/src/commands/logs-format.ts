import type { AgentLogEntry } from '@devs/core';
import type { LogRecord } from '@devs/storage';
import { printableLine, toJsonText } from '../terminal/terminal.ts';

/** Of an id: its time, which calls that come at once share, and some of what tells those apart. */
export const SHOWN_ID = 18;

/** For the help of each command that prints such lines. */
export const COLUMNS_HELP = `
Columns: when the call came (UTC); the first ${SHOWN_ID} characters of its id; how it ended; the tool; the agent and its turn;
how long it took; the code of a refusal or a failure. An agent is what the call claims, or else the client's name and the
number of its session: claude-code#2#0 is its first call. \`devs call\` is cli-<random>. Names with spaces, and empty ones,
are in quotes. --json has all of it; agentSource says "claimed" or "clientInfo".`;

/** The same of records. */
export const RECORD_COLUMNS_HELP = `
Columns: the number of the record (seq); when it was written, or when the call came (UTC); its kind, call.… for a call and
audit.… for the log itself; then what its header says, as name=value. A value of more than 80 characters, such as a signed
head, is cut and ends in …; --json has it whole, and the payload. [erased]: the payload was erased because of its age.`;

/** One call on one line. */
export function toLine(entry: AgentLogEntry): string {
  const { timestamp, id, status, toolName, agentId, turnIndex, durationMs, code } = entry;
  const fields = [timestamp, id.slice(0, SHOWN_ID), status.padEnd(8), showName(toolName).padEnd(18), `${showName(agentId)}#${turnIndex}`, showMs(durationMs), code ?? ''];
  return printableLine(fields.join('  ').trimEnd());
}

export function toJsonLine(entry: AgentLogEntry): string {
  return toJsonText(toShown(entry));
}

/** The policy's decision as one object: later decisions have more to say than a rule. */
export function toShown({ rule, ...entry }: AgentLogEntry): object {
  return { ...entry, decision: rule === '' ? null : { rule } };
}

export function showMs(milliseconds: number | null | undefined): string {
  return milliseconds === null || milliseconds === undefined ? '-' : `${milliseconds.toFixed(1)} ms`;
}

/** `1 record`, `2 records`. */
export function countOf(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** A name that somebody has chosen. One with blanks in it, or none at all, would shift the columns: it stands in quotes. */
export function showName(name: string): string {
  return /^$|^"|\s/.test(name) ? JSON.stringify(name) : name;
}

/** What every header begins with, and what a line says in its own way. */
const SAID_ALREADY = new Set(['v', 'seq', 'prev', 'kind', 'timestamp', 'store', 'payload']);
const MOST_CHARACTERS = 80;
const OF_A_CALL = ['callId', 'toolName', 'agentId', 'status', 'code', 'durationMs'];

/** One record of any kind on one line. */
export function toRecordLine({ seq, header, isErased }: LogRecord): string {
  if (header === undefined) return `${seq}  [damaged: its header is not what devs writes]`;
  const { timestamp, kind, callId } = header;
  const names = typeof callId === 'string' ? OF_A_CALL : Object.keys(header).filter((name) => !SAID_ALREADY.has(name));
  const members = names.filter((name) => header[name] !== undefined && header[name] !== null).map((name) => `${name}=${cut(showValue(header[name]))}`);
  return printableLine([String(seq), cut(showValue(timestamp)), cut(showValue(kind)).padEnd(14), ...members, isErased ? '[erased]' : ''].join('  ').trimEnd());
}

/** A signed head, or a name that somebody has chosen, would fill the screen; `--json` has it whole. */
function cut(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

function showValue(value: unknown): string {
  if (typeof value === 'number' && !Number.isInteger(value)) return value.toFixed(1);
  return typeof value === 'string' ? showName(value) : (JSON.stringify(value) ?? '');
}

export function toRecordJson({ seq, leaf, header, payload, isErased }: LogRecord): string {
  return toJsonText({ seq, leaf, header: header ?? null, payload, isErased });
}
