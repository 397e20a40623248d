import { execFile, execFileSync } from 'node:child_process';
import { generateKeyPairSync, hash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { createTempFolder } from '../../__tests__/fixtures.ts';
import { toKeyId } from '../../heads/public-key.ts';
import { readHeads } from '../../heads/read-heads.ts';
import { signHead, toHeadLine } from '../../heads/signed-head.ts';
import { day, LogBuilder } from './log-builder.ts';
import { verified } from './verified.ts';

const SCRIPT = path.resolve(__dirname, '../../../../../docs/security/verify-log.mjs');
const CODES = { intact: 0, tampered: 1, incomplete: 2, unknown: 2 };
const signer = generateKeyPairSync('ed25519');
const id = toKeyId(signer.publicKey);

async function run(...args: readonly string[]): Promise<{ readonly code: unknown; readonly said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT, ...args], { timeout: 60_000 }, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, said: stdout + stderr }));
  });
}

/** Records 1 to 28, of which 2 to 11 are erased by 22. */
const build = () => new LogBuilder().calls(5, day(1)).calls(5, day(50)).erase(day(100), { before: day(10), days: 90 }).calls(3, day(100));

function headAt(log: LogBuilder, seq: number): string {
  return toHeadLine(signHead({ store: log.store, seq, leaf: log.leafAt(seq) }, { privateKey: signer.privateKey, id }, new Date(day(1))));
}

function write(file: string, text: string): string {
  fs.writeFileSync(file, text);
  return file;
}

type Lines = readonly string[];

/** In the line of record 15, or of the last one. */
const edit = (from: string | RegExp, to: string) => (lines: Lines) => lines.with(14, (lines[14] ?? '').replace(from, to));
const editLast = (from: string, to: string) => (lines: Lines) => lines.with(27, (lines[27] ?? '').replace(from, to));

/** Together, salt and payload have the same hash. */
function withPayloadMoved(line = ''): string {
  const record = JSON.parse(line) as { salt: string; payload: string };
  return JSON.stringify({ ...record, salt: record.salt + Buffer.from(record.payload).toString('hex'), payload: '' });
}

/** Which log, how its lines are changed, at which record the head was signed. */
const CASES: readonly (readonly [string, (lines: Lines) => Lines, seq: number])[] = [
  ['nothing', (lines) => lines, 28],
  ['nothing, and goes on after the head', (lines) => lines, 20],
  ['a header', edit('read_file', 'read_life'), 28],
  ['a leaf', edit(/"leaf":"..../, '"leaf":"0000'), 28],
  ['a payload', edit('answer', 'Answer'), 28],
  ['the last payload', editLast('answer', 'Answer'), 28],
  ['a salt, spelled in capitals', (lines) => lines.with(14, (lines[14] ?? '').replace(/(?<="salt":")[^"]*/, (salt) => salt.toUpperCase())), 28],
  ['a payload is moved into the salt', (lines) => lines.with(14, withPayloadMoved(lines[14])), 28],
  ['the salt is emptied', edit(/"salt":"[^"]*"/, '"salt":""'), 28],
  ['a salt is cut', edit(/"salt":"../, '"salt":"'), 28],
  ['a payload is taken away', edit(/"salt":.*/, '"salt":null,"payload":null}'), 28],
  ['a record is missing', (lines) => lines.toSpliced(14, 1), 28],
  ['a record is there twice', (lines) => lines.toSpliced(14, 0, lines[14] ?? ''), 28],
  ['two change places', (lines) => lines.with(14, lines[15] ?? '').with(15, lines[14] ?? ''), 28],
  ['the first are missing', (lines) => lines.slice(11), 28],
  ['the erasure is missing', (lines) => lines.slice(0, 21), 20],
  ['the end is missing', (lines) => lines.slice(0, 26), 28],
  ['another log', () => new LogBuilder('0a'.repeat(16)).calls(20).lines(), 28],
  ['written anew', () => build().lines(), 28],
  ['all are missing but a part of one', (lines) => [(lines[0] ?? '').slice(0, 40)], 28],
  ['a carriage return', (lines) => lines.with(14, `${lines[14]}\r`), 28],
  ['a byte order mark', (lines) => lines.with(0, `\uFEFF${lines[0]}`), 28],
  ['a member more', edit(/\}$/, ',"x":1}'), 28],
  ['an escape', edit('read_file', '\\u0072ead_file'), 28],
  ['half a surrogate pair', edit('answer', '\\ud800'), 28],
  ['wrong types', (lines) => lines.with(14, '{"seq":15,"leaf":{},"header":1,"salt":true,"payload":[]}'), 28],
  ['null', (lines) => lines.with(14, 'null'), 28],
];

describe('the stand-alone script says what the engine says', () => {
  it.each(CASES)('%s', async (name, change, seq) => {
    using folder = createTempFolder();
    const log = build();
    const head = headAt(log, seq);
    const file = log.toExport(`${folder.path}/log.jsonl.gz`, change(log.lines()));
    fs.writeFileSync(`${folder.path}/head.json`, `${head}\n`);
    const { verdict } = await verified(file, { heads: readHeads(head).found, key: signer.publicKey });
    const { code, said } = await run(file, `${folder.path}/head.json`, id);
    expect(said).not.toContain('    at ');
    expect(verdict === 'intact').toBe(name.startsWith('nothing'));
    expect([verdict, code]).toEqual([verdict, CODES[verdict]]);
  });

  it.each<[string, () => Buffer, number]>([
    ['a line without an end', () => Buffer.alloc(100_000_000, 'a'), 1],
    ['lines of nothing', () => Buffer.alloc(200_000_000, '\n'), 1],
  ])('comes to an end with %s', async (_name, build, expected) => {
    using folder = createTempFolder();
    fs.writeFileSync(`${folder.path}/bomb.jsonl.gz`, gzipSync(build()));
    const { code, said } = await run(`${folder.path}/bomb.jsonl.gz`);
    expect(said).not.toContain('    at ');
    expect(code).toBe(expected);
  });

  it('takes no salt for a part of the payload', async () => {
    using folder = createTempFolder();
    const [salt, payload] = ['0123456789abcdef', '{"input":{}}'];
    const header = `{"v":1,"seq":1,"prev":"${'0'.repeat(64)}","kind":"call.started","payload":"${hash('sha256', salt + payload, 'hex')}"}`;
    const record = { seq: 1, leaf: hash('sha256', `\0${header}`, 'hex'), header };
    const judge = async (more: object) => {
      fs.writeFileSync(`${folder.path}/one.jsonl`, `${JSON.stringify({ ...record, ...more })}\n`);
      return (await run(`${folder.path}/one.jsonl`)).code;
    };
    expect(await judge({ salt: Buffer.from(salt).toString('hex'), payload })).toBe(0);
    expect(await judge({ salt: '', payload: salt + payload })).toBe(1);
  });

  it('waits for no pipe', async () => {
    using folder = createTempFolder();
    execFileSync('mkfifo', [`${folder.path}/pipe.jsonl`]);
    expect((await run(`${folder.path}/pipe.jsonl`)).code).toBe(2);
    expect((await run(`${folder.path}/none.jsonl`)).code).toBe(2);
  });

  it('claims no more than it can without a head', async () => {
    using folder = createTempFolder();
    const log = build();
    const { code, said } = await run(log.toExport(`${folder.path}/log.jsonl`, log.lines().slice(0, 25)));
    expect([code, said]).toEqual([0, expect.stringContaining('not anchored')]);
  });

  it.each<[string, string, number]>([
    ['a changed head', headAt(build(), 28).replace('28', '27'), 2],
    ['a head that is none', '{}', 2],
    ['no head at all', '', 2],
  ])('%s leaves it open', async (_name, head, expected) => {
    using folder = createTempFolder();
    fs.writeFileSync(`${folder.path}/head.json`, head);
    const { code } = await run(build().toExport(`${folder.path}/log.jsonl`), `${folder.path}/head.json`);
    expect(code).toBe(expected);
  });

  it.each<[string, (folder: string) => string, number, string]>([
    ['the line that was printed', () => id, 0, 'signed by the key that you gave'],
    ['the file that it was kept in', (folder) => write(`${folder}/devs.pub`, `${id}\n`), 0, 'signed by the key that you gave'],
    ['another key', () => Buffer.alloc(32, 7).toString('base64'), 2, 'signed by another key'],
    ['the name of no file', () => 'devs.pub', 2, 'this is no key'],
    ['a file of something else', (folder) => write(`${folder}/other`, 'hello'), 2, 'this is no key'],
    ['a name that is too long', () => 'a'.repeat(5_000), 2, 'this is no key'],
    ['nothing: a variable that is not set', () => '', 2, 'this is no key'],
  ])('takes as its key %s', async (_name, keyOf, expected, words) => {
    using folder = createTempFolder();
    const log = build();
    const head = write(`${folder.path}/head.json`, headAt(log, 28));
    expect(await run(log.toExport(`${folder.path}/log.jsonl`), head, keyOf(folder.path))).toEqual({ code: expected, said: expect.stringContaining(words) });
  });

  it.each<[string, (folder: string) => string]>([
    ['is not there', (folder) => `${folder}/none.json`],
    ['is a pipe', (folder) => (execFileSync('mkfifo', [`${folder}/pipe`]), `${folder}/pipe`)],
    ['names no key', (folder) => write(`${folder}/head.json`, JSON.stringify({ head: '{"v":1,"key":"x"}', signature: '' }))],
  ])('does not call a log tampered because the head %s', async (_name, headOf) => {
    using folder = createTempFolder();
    const { code, said } = await run(build().toExport(`${folder.path}/log.jsonl`), headOf(folder.path));
    expect([code, said]).toEqual([2, expect.stringContaining('the head is not one')]);
  });

  it('finds a payload that was put back, and an erasure that came too soon', async () => {
    using folder = createTempFolder();
    const log = new LogBuilder().calls(5, day(1));
    const kept = log.lines()[4] ?? '';
    log.erase(day(100), { before: day(10), days: 90 });
    expect((await run(log.toExport(`${folder.path}/a.jsonl`, log.lines().with(4, kept)))).code).toBe(1);
    const young = new LogBuilder().calls(5, day(1)).erase(day(90), { before: day(10), days: 90 });
    expect((await run(young.toExport(`${folder.path}/b.jsonl`))).code).toBe(1);
  });
});
