import { DevsError, type Json, type JsonObject } from '@devs/core';
import { digestOf } from './pinned-definition.ts';
import type { Pin, ServerIdentity, ServerPins, ShownServer, ShownTool, ToolPin } from './pin-store.ts';

/** All pins, by the key of the server's identity. */
export type PinBook = ReadonlyMap<string, ServerPins>;

/** A server that thinks of new names for ever must not fill the disk: 2,000 tools, 16 MiB of JSON a server. */
const MOST_TOOLS = 2_000;
const MOST_CHARACTERS = 16_777_216;
const MOST_SERVERS = 1_000;
const MOST_REFUSED = 100;

/**
 * The book with what a server shows now: what it shows for the first time is pinned; what differs from its pin is kept
 * beside it. A tool that is gone keeps its pin, or it could come back as another. The same book when nothing is new.
 */
export function noteShown(book: PinBook, identity: ServerIdentity, { shown, now }: { shown: ShownServer; now: string }): PinBook {
  const before = book.get(identity.key);
  if (before === undefined && book.size >= MOST_SERVERS) throw full('devs has seen too many servers here');
  const tools = new Map(before?.tools);
  for (const [ownName, tool] of shown.tools) {
    const noted = noteTool(before?.tools.get(ownName), tool, { now, isKnownServer: before !== undefined });
    tools.set(ownName, noted);
  }
  const instructions = noteInstructions(before?.instructions, shown.instructions, { now, isKnownServer: before !== undefined });
  const after: ServerPins = {
    identity,
    entry: shown.entry,
    ...(shown.saidVersion !== undefined && { saidVersion: shown.saidVersion }),
    tools,
    ...(instructions !== undefined && { instructions }),
    refused: shown.refused.slice(0, MOST_REFUSED),
  };
  if (before !== undefined && isSame(before, after)) return book;
  if (tools.size > MOST_TOOLS || sizeOf(after) > MOST_CHARACTERS) throw full('the server has named too many tools, or says too much of itself');
  return new Map(book).set(identity.key, after);
}

interface Circumstances {
  readonly now: string;
  readonly isKnownServer: boolean;
}

function noteTool(pin: ToolPin | undefined, { name, pinned }: ShownTool, { now, isKnownServer }: Circumstances): ToolPin {
  if (pin !== undefined) return { ...noteValue(pin, pinned, now), name };
  return { value: pinned, digest: digestOf(pinned), pinnedAt: now, name, ...(isKnownServer && { isNew: true }) };
}

/** A server that says nothing now keeps its pin as a tool does; what one that was known says for the first time is a change of nothing. */
function noteInstructions(pin: Pin<string> | undefined, text: string | undefined, { now, isKnownServer }: Circumstances): Pin<string> | undefined {
  if (text === undefined) return pin;
  const before = isKnownServer ? '' : text;
  return noteValue(pin ?? { value: before, digest: digestOf(before), pinnedAt: now }, text, now);
}

function noteValue<Value extends Json, Kept extends Pin<Value>>(pin: Kept, value: Value, now: string): Kept {
  const digest = digestOf(value);
  const { changed, ...same } = pin;
  // As it was approved again: an older change is nothing that anybody could still approve.
  if (digest === pin.digest) return changed === undefined ? pin : (same as Kept);
  return changed?.digest === digest ? pin : { ...pin, changed: { value, digest, seenAt: now } };
}

/** One thing that a person may say yes to, as it was shown to them. */
export interface Approval {
  readonly key: string;
  /** A tool by its server's name for it, or the server's instructions. */
  readonly of: { readonly tool: string } | 'instructions';
  /** Of what was shown. */
  readonly digest: string;
}

/** The book with what a person said yes to. Throws `STATE_UNUSABLE` when that is not what the book holds any more. */
export function approvePins(book: PinBook, approvals: readonly Approval[], now: string): PinBook {
  const after = new Map(book);
  for (const { key, of, digest } of approvals) {
    const server = after.get(key);
    if (server === undefined) throw moved();
    if (of === 'instructions') {
      if (server.instructions === undefined) throw moved();
      after.set(key, { ...server, instructions: approvePin(server.instructions, digest, now) });
      continue;
    }
    const pin = server.tools.get(of.tool);
    if (pin === undefined) throw moved();
    const { isNew: _isNew, ...known } = pin;
    after.set(key, { ...server, tools: new Map(server.tools).set(of.tool, approvePin(known, digest, now)) });
  }
  return after;
}

function approvePin<Value extends Json | JsonObject, Kept extends Pin<Value>>(pin: Kept, digest: string, now: string): Kept {
  const { changed, ...kept } = pin;
  const current = changed ?? pin;
  // Somebody else may have changed it while the person was reading.
  if (current.digest !== digest) throw moved();
  return { ...kept, value: current.value, digest, approvedAt: now } as Kept;
}

function isSame(before: ServerPins, after: ServerPins): boolean {
  const { tools: oldTools, ...old } = before;
  const { tools: newTools, ...current } = after;
  if (oldTools.size !== newTools.size || JSON.stringify(old) !== JSON.stringify(current)) return false;
  // What nothing has happened to is the same object, but for its name.
  return [...newTools].every(([ownName, pin]) => {
    const was = oldTools.get(ownName);
    return was !== undefined && was.digest === pin.digest && was.name === pin.name && was.changed?.digest === pin.changed?.digest;
  });
}

function sizeOf({ tools, instructions }: ServerPins): number {
  let characters = (instructions?.value.length ?? 0) + (instructions?.changed?.value.length ?? 0);
  for (const { value, changed } of tools.values()) characters += JSON.stringify(value).length + (changed === undefined ? 0 : JSON.stringify(changed.value).length);
  return characters;
}

function full(problem: string): DevsError {
  return new DevsError('STATE_UNUSABLE', { sentence: `No tool can be pinned: ${problem}.` });
}

function moved(): DevsError {
  return new DevsError('STATE_UNUSABLE', { sentence: 'What was shown is not what the server shows now, so nothing is approved. Look again: devs tools diff' });
}
