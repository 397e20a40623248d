import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import { exportRecords, openSqliteSource } from '../../packages/storage/dist/index.js';
import { makeBigLog } from '../big-log.mjs';
import { startNode } from '../child.mjs';
import { showTime } from '../harness.mjs';

const SIZES = [100_000, 1_000_000];
const CHILD = fileURLToPath(new URL('../verify-child.mjs', import.meta.url));

/** How fast a log is verified, and that a longer one takes no more memory. */
export async function measureVerify() {
  const lines = [];
  for (const records of SIZES) lines.push(...(await measure(records)));
  return {
    id: 'L2',
    title: 'verify: records a second, the records alone; indexes and pages beside them; memory at most',
    against: 'nothing',
    goal: '1,000,000 records < 30 s, memory as for 100,000',
    lines,
  };
}

async function measure(records) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'devs-bench-verify-'));
  try {
    const files = [path.join(folder, 'log.db'), path.join(folder, 'log.jsonl'), path.join(folder, 'log.jsonl.gz')];
    const [log, plain, compressed] = files;
    await makeBigLog(log, records);
    await exportTo(log, [plain, compressed]);
    const lines = [];
    for (const file of files) lines.push(await verify(file, records));
    return lines;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function exportTo(log, [plain, compressed]) {
  for (const [file, through] of [[plain, []], [compressed, [createGzip()]]]) {
    await using source = openSqliteSource({ file: log });
    await pipeline(linesOf(source), ...through, createWriteStream(file));
  }
}

/** Hands over one write at a time. */
async function* linesOf(source) {
  let hand = Promise.withResolvers();
  const written = exportRecords(source, async (lines) => {
    const taken = Promise.withResolvers();
    hand.resolve({ lines, taken });
    await taken.promise;
  }).then(() => hand.resolve(undefined));
  for (let next = await hand.promise; next !== undefined; next = await hand.promise) {
    hand = Promise.withResolvers();
    yield next.lines;
    next.taken.resolve();
  }
  await written;
}

async function verify(file, expected) {
  const { child, exited, said } = startNode([CHILD, file]);
  const output = await text(child.stdout);
  await exited;
  if (output === '') throw new Error(`verify ended: ${said()}`);
  const { verdict, records, seconds, megabytes } = JSON.parse(output);
  if (verdict !== 'intact' || records < expected) throw new Error(`${path.basename(file)} is ${verdict} after ${records} records`);
  const speed = `${Math.round(records / seconds.records).toLocaleString('en')}/s`;
  const figures = [speed, showTime(seconds.records * 1e6), showTime(seconds.around * 1e6), `${megabytes.toFixed(0)} MB`];
  return { name: `${expected.toLocaleString('en')} records, ${path.basename(file)}`, figures };
}
