import fs from 'node:fs';
import { gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { NO_LEAF, type CallHeader } from '../../chain/header.ts';
import { Salts, type StoredRecord } from '../../chain/record.ts';
import { seal, type Draft } from '../../chain/seal.ts';
import { toLine } from '../../export/line.ts';
import { callId } from '../../__tests__/fixtures.ts';
import { migrate } from '../../sqlite/migrate.ts';

export const STORE = '5e'.repeat(16);
const DAY_MS = 86_400_000;

/** Noon of that day of 2026, counted from 0. */
export function day(number: number, seconds = 0): string {
  return new Date(Date.UTC(2026, 0, 1, 12) + number * DAY_MS + seconds * 1_000).toISOString();
}

/** Makes a log by hand, so that a test can also make what devs would not. */
export class LogBuilder {
  readonly records: StoredRecord[] = [];
  readonly open = new Map<string, number>();
  readonly store: string;
  readonly #salts = new Salts();
  #calls = 0;

  constructor(store = STORE) {
    this.store = store;
    this.fact('audit.opened', day(0), { session: store, version: '0', mode: 'strict', durability: 'power' });
  }

  get last(): StoredRecord {
    const last = this.records.at(-1);
    if (last === undefined) throw new Error('there is no record');
    return last;
  }

  add(draft: Draft): StoredRecord {
    const before = this.records.at(-1);
    const prev = before === undefined ? NO_LEAF : Buffer.from(before.leaf).toString('hex');
    const { leafHex: _leaf, ...record } = seal(draft, { seq: (before?.seq ?? 0) + 1, prev }, this.#salts);
    this.records.push(record);
    return record;
  }

  fact(kind: string, timestamp: string, more: Readonly<Record<string, unknown>> = {}): StoredRecord {
    return this.add({ header: { kind: kind as 'audit.opened', timestamp, store: this.store, ...more }, payload: null });
  }

  /** A start and its outcome. */
  call(timestamp = day(0)): this {
    const { id, seq } = this.start(timestamp);
    this.open.delete(id);
    const outcome = { status: 'ok' as const, isError: false, code: null, durationMs: 1.5, started: seq, outputForm: 'exact' as const, outputBytes: 9 };
    const payload = JSON.stringify({ output: { content: [{ type: 'text', text: `answer ${this.#calls} "ü" \\` }] }, detail: null, sanitization: { truncated: false } });
    this.add({ header: { kind: 'call.finished', timestamp, ...this.#fields(id), ...outcome }, payload });
    return this;
  }

  calls(count: number, timestamp = day(0)): this {
    for (let index = 0; index < count; index += 1) this.call(timestamp);
    return this;
  }

  /** A start alone. */
  start(timestamp = day(0)): { readonly id: string; readonly seq: number } {
    this.#calls += 1;
    const id = callId(this.#calls);
    const { seq } = this.add({ header: { kind: 'call.started', timestamp, ...this.#fields(id), session: this.store }, payload: `{"input":{"number":${this.#calls}}}` });
    this.open.set(id, seq);
    return { id, seq };
  }

  /** The same call record once more, in its own place of the chain. */
  repeat(seq: number, more: Partial<CallHeader> = {}): StoredRecord {
    const { v: _v, seq: _seq, prev: _prev, payload: _payload, ...header } = JSON.parse(this.records[seq - 1]?.header ?? '') as CallHeader;
    return this.add({ header: { ...header, ...more }, payload: '{}' });
  }

  /** Takes payloads away and says so, as devs does. */
  erase(timestamp: string, { before, days, from = 1, upTo = this.last.seq }: { before: string; days: number; from?: number; upTo?: number }): this {
    let count = 0;
    for (const [index, record] of this.records.entries()) {
      const { timestamp: at } = JSON.parse(record.header) as { timestamp: string };
      if (record.seq < from || record.seq > upTo || record.payload === null || at >= before) continue;
      this.records[index] = { ...record, payload: null, salt: null };
      count += 1;
    }
    this.fact('audit.erased', timestamp, { from, upTo, before, days, count });
    return this;
  }

  /** Says that what is up to `upTo` left; `toSqlite` with `from` leaves it out. */
  prune(timestamp: string, upTo: number, more: Readonly<Record<string, unknown>> = {}): this {
    const leaf = this.leafAt(upTo);
    this.fact('audit.pruned', timestamp, { upTo, leaf, records: upTo, archive: { file: 'a.jsonl.gz', sha256: '00'.repeat(32), bytes: 1 }, head: null, ...more });
    return this;
  }

  leafAt(seq: number): string {
    const record = this.records[seq - 1];
    if (record === undefined) throw new Error(`there is no record ${seq}`);
    return Buffer.from(record.leaf).toString('hex');
  }

  lines(): string[] {
    return this.records.map(toLine);
  }

  toExport(file: string, lines: readonly string[] = this.lines()): string {
    const text = lines.map((line) => `${line}\n`).join('');
    fs.writeFileSync(file, file.endsWith('.gz') ? gzipSync(text) : text);
    return file;
  }

  toSqlite(file: string, from = 1): string {
    const database = new Database(file);
    database.pragma('journal_mode = WAL');
    migrate(database);
    const insert = database.prepare('INSERT INTO records (seq, leaf, header, salt, payload) VALUES (?, ?, ?, ?, ?)');
    for (const { seq, leaf, header, salt, payload } of this.records) if (seq >= from) insert.run(seq, leaf, header, salt, payload);
    for (const [id, seq] of this.open) database.prepare('INSERT INTO open_calls (call_id, seq, session) VALUES (?, ?, ?)').run(id, seq, this.store);
    database.close();
    return file;
  }

  #fields(id: string) {
    const ids = { callId: id, toolName: 'read_file', agentId: 'agent-1', turnIndex: 3, phaseId: 'phase-2', epicId: 'epic-4', taskId: 'task-5' };
    return { ...ids, principal: 'local', channel: 'stdio' as const, parentCallId: null, rule: 'default', inputForm: 'exact' as const, inputBytes: 12 };
  }
}

/** What somebody does who may write the file: the triggers go, and come back to the letter. */
export function tamper(file: string, change: (database: Database.Database) => void): void {
  const database = new Database(file);
  const triggers = database.prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  database.pragma('ignore_check_constraints = ON');
  change(database);
  for (const { sql } of triggers) database.exec(sql);
  database.close();
}
