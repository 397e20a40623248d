// A call log of any length, the same for the same seed: what reading and verifying are measured on.
// By hand: `node bench/big-log.mjs <file> <records>`.
import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { NO_LEAF } from '../packages/storage/dist/chain/header.js';
import { seal } from '../packages/storage/dist/chain/seal.js';
import { MIGRATIONS, APPLICATION_ID } from '../packages/storage/dist/sqlite/schema.js';
import { CHAIN } from '../packages/storage/dist/sqlite/records-schema.js';

const require = createRequire(new URL('../packages/storage/package.json', import.meta.url));
const Database = require('better-sqlite3');

const STORE = '0123456789abcdef'.repeat(2);
const SESSION = 'fedcba9876543210'.repeat(2);
const FIRST_CALL = Date.UTC(2026, 0, 1);
const DAYS = 90;
const OPEN_AT_THE_END = 5;
const TOOLS = ['read_file', 'write_file', 'list_directory', 'search_files', 'surgical_edit', 'run_tests', 'fetch_page', 'query_orders', 'git_status', 'git_diff', 'send_message', 'take_note'];
const AGENTS = Array.from({ length: 40 }, (_, index) => `agent-${String(index + 1).padStart(2, '0')}`);
const REFUSALS = ['UNKNOWN_TOOL', 'TOOL_ARG_VALIDATION_FAILURE', 'PATH_OUTSIDE_ROOT', 'PATH_PROTECTED'];
const FOLDERS = ['src', 'docs', 'packages/core/src', 'test/fixtures', 'scripts'];
const WORDS =
  'alpha order invoice customer parser buffer chain header record payload index query filter agent tool result error timeout retry cache socket ' +
  'stream folder branch commit merge review release version config schema member pointer value string number boolean object array list map set ' +
  'queue worker thread signal process memory disk network server client request response token session user group role policy rule limit budget ' +
  'window report metric trace span log event alert page table column row key cursor page seed fixture sample draft note message channel topic';

/** mulberry32: small, fast, and the same everywhere. */
function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Generator {
  #random;
  #words = WORDS.split(' ');
  #total;

  constructor(seed, total) {
    this.#random = createRandom(seed);
    this.#total = total;
  }

  /** Drafts of records in their order; `seq` is that of the next one, asked for when it is needed. */
  *drafts() {
    const fact = (kind, timestamp, more) => ({ header: { kind, timestamp, store: STORE, ...more }, payload: null });
    yield fact('audit.opened', new Date(FIRST_CALL).toISOString(), { session: SESSION, version: '0.1.0', mode: 'strict', durability: 'power' });
    let seq = 2;
    for (let call = 0; seq <= this.#total; call += 1) {
      const timestamp = new Date(FIRST_CALL + Math.floor((seq / this.#total) * DAYS * 86_400_000)).toISOString();
      const share = this.#random();
      const left = this.#total - seq + 1;
      if (share < 0.001) {
        const counted = { principal: 'local', code: 'UNKNOWN_TOOL', count: this.#number(1, 500), from: timestamp, to: timestamp };
        yield fact('call.coalesced', timestamp, counted);
        seq += 1;
      } else if (share < 0.02 || left === 1) {
        yield this.#outcome(this.#call(call, timestamp), { status: 'denied', started: null });
        seq += 1;
      } else {
        const started = seq;
        const base = this.#call(call, timestamp);
        yield { header: { kind: 'call.started', ...base.header }, payload: JSON.stringify({ input: base.input }) };
        seq += 1;
        if (this.#total - seq < OPEN_AT_THE_END) continue;
        yield this.#outcome(base, { status: share < 0.05 ? 'error' : share < 0.055 ? 'withheld' : 'ok', started });
        seq += 1;
      }
    }
  }

  #call(number, timestamp) {
    const toolName = TOOLS[Math.floor(this.#random() ** 2 * TOOLS.length)];
    const agent = Math.floor(this.#random() * AGENTS.length);
    const input = { path: `${this.#pick(FOLDERS)}/${this.#pick(this.#words)}-${this.#number(1, 400)}.ts`, query: this.#sentence(3, 8) };
    const header = {
      timestamp,
      callId: `${this.#hex(8)}-${this.#hex(4)}-4${this.#hex(3)}-a${this.#hex(3)}-${this.#hex(12)}`,
      toolName,
      agentId: AGENTS[agent],
      turnIndex: number % 50,
      phaseId: `phase-${1 + (agent % 5)}`,
      epicId: `epic-${1 + Math.floor(number / 5_000)}`,
      taskId: '',
      principal: 'local',
      channel: 'stdio',
      parentCallId: null,
      rule: 'default',
    };
    return { header, input };
  }

  #outcome({ header, input }, { status, started }) {
    const isError = status !== 'ok';
    const code = { ok: null, error: 'TOOL_EXECUTION_ERROR', withheld: 'OUTPUT_WITHHELD', denied: this.#pick(REFUSALS) }[status];
    const text = this.#sentence(15, 80);
    const output = { content: [{ type: 'text', text }], ...(isError && { isError }) };
    const detail = isError ? `${code}: ${this.#sentence(4, 10)}` : null;
    const payload = JSON.stringify({ ...(started === null && { input }), output, detail, sanitization: { truncated: false } });
    const durationMs = Math.round(-Math.log(1 - this.#random()) * 40_000) / 1_000;
    const forms = { inputForm: 'exact', inputBytes: JSON.stringify(input).length, outputForm: 'exact', outputBytes: JSON.stringify(output).length };
    const kind = status === 'denied' ? 'call.denied' : 'call.finished';
    return { header: { kind, ...header, status, isError, code, durationMs, started, ...forms }, payload };
  }

  #sentence(least, most) {
    const words = Array.from({ length: this.#number(least, most) }, () =>
      this.#random() < 0.05 ? this.#hex(8) : this.#pick(this.#words),
    );
    return words.join(' ');
  }

  #pick(values) {
    return values[Math.floor(this.#random() * values.length)];
  }

  #number(least, most) {
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  #hex(digits) {
    let text = '';
    while (text.length < digits) text += Math.floor(this.#random() * 2 ** 32).toString(16).padStart(8, '0');
    return text.slice(0, digits);
  }
}

/** Salts of the same seed: a log that can be made again to the byte. */
function createSalts(seed) {
  const random = createRandom(seed);
  return {
    next: () => {
      const salt = Buffer.alloc(16);
      for (let offset = 0; offset < 16; offset += 4) salt.writeUInt32LE(Math.floor(random() * 2 ** 32), offset);
      return salt;
    },
  };
}

/** The newest version's tables at once, their indexes and triggers once the rows are there: many times as fast. */
function openEmpty(file) {
  closeSync(openSync(file, 'wx', 0o600));
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -200000');
  database.pragma(`application_id = ${APPLICATION_ID}`);
  database.pragma(`user_version = ${MIGRATIONS.length}`);
  return database;
}

/** Makes a log of that many records and closes it. @returns how many calls it has */
export function makeBigLog(file, records, seed = 6) {
  const database = openEmpty(file);
  const isLater = (statement) => /^CREATE (UNIQUE )?(INDEX|TRIGGER)/.test(statement);
  for (const statement of CHAIN.filter((one) => !isLater(one))) database.exec(statement);
  const calls = database.transaction(() => insertAll(database, new Generator(seed, records), createSalts(seed)))();
  for (const statement of CHAIN.filter(isLater)) database.exec(statement);
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  return calls;
}

function insertAll(database, generator, salts) {
  const insert = database.prepare('INSERT INTO records (seq, leaf, header, salt, payload) VALUES (?, ?, ?, ?, ?)');
  const open = new Map();
  let link = { seq: 1, prev: NO_LEAF };
  let calls = 0;
  for (const draft of generator.drafts()) {
    const { seq, leaf, leafHex, header, salt, payload } = seal(draft, link, salts);
    insert.run(seq, leaf, header, salt, payload);
    const { kind, callId, status } = draft.header;
    if (kind === 'call.started') open.set(callId, seq);
    if (status !== undefined) calls += 1;
    if (status !== undefined) open.delete(callId);
    link = { seq: seq + 1, prev: leafHex };
  }
  const keep = database.prepare('INSERT INTO open_calls (call_id, seq, session) VALUES (?, ?, ?)');
  for (const [callId, seq] of open) keep.run(callId, seq, SESSION);
  return calls + open.size;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file, records] = process.argv.slice(2);
  const began = performance.now();
  const calls = makeBigLog(file, Number(records));
  process.stdout.write(`${records} records, ${calls} calls, ${((performance.now() - began) / 1_000).toFixed(1)} s\n`);
}
