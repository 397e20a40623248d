import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { DevsError, isRecord, ownValue } from '@devs/core';
import { isTokenName, type NamedToken, type ScopeRules } from '@devs/mcp';
import { FileLock } from '@devs/storage';
import { lockForChange } from './lock-for-change.ts';
import { isNewer } from './newer-version.ts';
import { writePrivateFile } from './private-file.ts';
import { readSmallFile } from './read-file.ts';
import { checkStateIfThere, prepareState, type StateFolder } from './state-folder.ts';

/** More than anybody hands out by hand, and few enough to be read again whenever they change. */
export const MOST_TOKENS = 256;
const MAX_BYTES = 1_048_576;

type Reader<Value> = (value: unknown) => Value | undefined;

/** A file of the state folder that holds one JSON value, for its owner alone: read whole, written whole, and changed by one at a time. */
export class StateFile<Value> {
  readonly #state: StateFolder;
  readonly #name: string;
  readonly #parse: Reader<Value>;
  readonly #empty: Value;
  readonly #lock: FileLock;

  /** @param parse undefined for what is not such a value */
  constructor(state: StateFolder, { name, parse, empty }: { readonly name: string; readonly parse: Reader<Value>; readonly empty: Value }) {
    this.#state = state;
    this.#name = name;
    this.#parse = parse;
    this.#empty = empty;
    this.#lock = new FileLock(this.path);
  }

  get path(): string {
    return path.join(this.#state.path, this.#name);
  }

  /** Throws `STATE_UNUSABLE` for a file that is broken, or that others may have changed. */
  async read(): Promise<Value> {
    await checkStateIfThere(this.#state);
    const reading = await readSmallFile(this.path, MAX_BYTES);
    if (reading.kind === 'absent') return this.#empty;
    if (reading.kind === 'unusable') throw this.#unusable(reading.problem);
    if (process.getuid !== undefined && reading.uid !== process.getuid()) throw this.#unusable('belongs to another user');
    if ((reading.mode & 0o077) !== 0) throw this.#unusable('is accessible to other users; run chmod 600 on it');
    const written = parseJson(reading.bytes.toString('utf8'));
    if (isNewer(written)) throw this.#unusable('was written by a newer devs, and is left unchanged; start that devs, or update this one');
    const value = this.#parse(written);
    if (value === undefined) throw this.#unusable('is broken; inspect it, or delete it and start over');
    return value;
  }

  /** In place at once and whole, or not at all. Throws `STATE_UNUSABLE`, and what `change` throws. */
  async change(change: (before: Value) => Value): Promise<void> {
    await prepareState(this.#state);
    using _lock = await lockForChange(this.#lock, this.path);
    const after = change(await this.read());
    const draft = `${this.path}.${randomUUID()}`;
    try {
      await writePrivateFile(draft, `${JSON.stringify(after, null, 2)}\n`);
      await rename(draft, this.path);
      await using folder = await open(this.#state.path, constants.O_RDONLY | constants.O_DIRECTORY);
      await folder.sync();
    } catch (cause) {
      throw this.#unusable('cannot be written', cause);
    } finally {
      // Where it cannot be taken away either, the reason above is the one to tell.
      await rm(draft, { force: true }).catch(() => undefined);
    }
  }

  #unusable(problem: string, cause?: unknown): DevsError {
    return new DevsError('STATE_UNUSABLE', { sentence: `The file ${JSON.stringify(this.path)} ${problem}.`, cause });
  }
}

export interface TokenBook {
  readonly version: 1;
  readonly tokens: readonly NamedToken[];
}

/** The tokens that have names. The tokens themselves are in no file. */
export function openTokenBook(state: StateFolder): StateFile<TokenBook> {
  return new StateFile(state, { name: 'tokens.json', parse: toBook, empty: { version: 1, tokens: [] } });
}

/** By the id of a token the day, UTC, that it last let somebody in. */
export type TokenUse = Readonly<Record<string, string>>;

export function openTokenUse(state: StateFolder): StateFile<TokenUse> {
  return new StateFile(state, { name: 'token-use.json', parse: toUse, empty: {} });
}

function toBook(value: unknown): TokenBook | undefined {
  const tokens = ownValue(value, 'tokens');
  if (ownValue(value, 'version') !== 1 || !Array.isArray(tokens) || tokens.length > MOST_TOKENS) return undefined;
  const read = tokens.flatMap((token) => toToken(token) ?? []);
  const isDistinct = new Set(read.map(({ id }) => id)).size === tokens.length;
  return read.length === tokens.length && isDistinct ? { version: 1, tokens: read } : undefined;
}

/** Strict: a scope that is not understood must not become one that allows more. */
function toToken(value: unknown): NamedToken | undefined {
  if (!isRecord(value)) return undefined;
  const { name, id, sha256, scope, createdAt, expiresAt, ...more } = value;
  const rules = toRules(scope);
  const isPlain = typeof name === 'string' && isTokenName(name) && typeof id === 'string' && /^[0-9a-f]{12}$/.test(id);
  if (!isPlain || typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256) || rules === undefined || Object.keys(more).length > 0) return undefined;
  if (!isTime(createdAt) || (expiresAt !== undefined && !isTime(expiresAt))) return undefined;
  return { name, id, sha256, scope: rules, createdAt, ...(expiresAt !== undefined && { expiresAt }) };
}

function toRules(value: unknown): ScopeRules | undefined {
  if (!isRecord(value)) return undefined;
  const { tools, servers, readOnly, interactive, ...more } = value;
  const isKnown = Object.keys(more).length === 0 && isNames(tools) && isNames(servers) && isFlag(readOnly) && isFlag(interactive);
  if (!isKnown) return undefined;
  return { ...(tools !== undefined && { tools }), ...(servers !== undefined && { servers }), ...(readOnly !== undefined && { readOnly }), ...(interactive !== undefined && { interactive }) };
}

function isNames(value: unknown): value is readonly string[] | undefined {
  return value === undefined || (Array.isArray(value) && value.every((name) => typeof name === 'string'));
}

function isFlag(value: unknown): value is boolean | undefined {
  return value === undefined || typeof value === 'boolean';
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

/** Strict: whoever drops what they do not understand writes the file without it. */
function toUse(value: unknown): TokenUse | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value);
  const isUse = (entry: readonly [string, unknown]): entry is [string, string] => /^[0-9a-f]{12}$/.test(entry[0]) && typeof entry[1] === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(entry[1]);
  return entries.every(isUse) ? Object.fromEntries(entries) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
