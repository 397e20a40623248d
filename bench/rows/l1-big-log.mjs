import { rmSync, statSync } from 'node:fs';
import process from 'node:process';
import { openSqliteAgentLogReader } from '../../packages/storage/dist/index.js';
import { makeBigLog } from '../big-log.mjs';
import { quantile, showTime } from '../harness.mjs';
import { makePlace } from '../place.mjs';

/** Of the log that is read; fewer for a look, by hand. */
const RECORDS = Number(process.env['DEVS_BENCH_RECORDS'] ?? 1_000_000);
const ROUNDS = 20;
const LIMIT = 20;

const FILTERS = {
  toolName: 'read_file',
  agentId: 'agent-07',
  phaseId: 'phase-2',
  epicId: 'epic-50',
  status: 'denied',
  since: '2026-02-01T00:00:00.000Z',
  until: '2026-03-01T00:00:00.000Z',
};

const SEARCHES = {
  'search: a rare word': 'deadbeef',
  'search: a frequent word': 'invoice',
  'search: two words': 'order invoice',
  'search: the start of a word': 'inv*',
  'search: one letter and a star': 'a*',
  'search: two words in this order': '"order invoice"',
};

/** Every filter alone, and every two of them. */
function filterPairs() {
  const names = Object.keys(FILTERS);
  const pairs = names.flatMap((one, index) => names.slice(index).map((other) => [...new Set([one, other])]));
  return pairs.map((pair) => [`list: ${pair.join(' + ')}`, Object.fromEntries(pair.map((name) => [name, FILTERS[name]]))]);
}

/** p50 and p95 of one question, in the order of the rounds: what is asked first is asked of a cold cache. */
async function time(ask) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    await ask();
    times.push((performance.now() - began) * 1_000);
  }
  return [quantile(times, 0.5), quantile(times, 0.95)];
}

async function timeOnce(work) {
  const began = performance.now();
  const result = await work();
  return { result, microseconds: (performance.now() - began) * 1_000 };
}

function megabytes(bytes) {
  return `${(bytes / 1_048_576).toFixed(0)} MB`;
}

/** What `devs logs` asks, of a log of a million records, through the same reader. */
export async function measureBigLog() {
  using place = makePlace();
  const file = place.inside('big.db');
  const { result: calls } = await timeOnce(() => makeBigLog(file, RECORDS));
  await using reader = openSqliteAgentLogReader({ file });
  const first = await timeOnce(() => reader.search('invoice', { limit: LIMIT }));
  const [middle] = await reader.list({ limit: 1, before: RECORDS / 2 });
  const questions = [
    ['list: nothing in particular', () => reader.list({ limit: LIMIT })],
    ...filterPairs().map(([name, query]) => [name, () => reader.list({ ...query, limit: LIMIT })]),
    ['list: a page of 1,000 from the middle', () => reader.list({ limit: 1_000, before: RECORDS / 2 })],
    ['list: two filters that no call has', () => reader.list({ limit: LIMIT, toolName: 'read_file', agentId: 'nobody' })],
    ...Object.entries(SEARCHES).map(([name, words]) => [name, () => reader.search(words, { limit: LIMIT })]),
    ['search: a frequent word, refused, in February', () => reader.search('invoice', { limit: LIMIT, status: 'denied', since: FILTERS.since, until: FILTERS.until })],
    ['stats', () => reader.stats({})],
    ['stats: since the second day', () => reader.stats({ since: '2026-01-02T00:00:00.000Z' })],
    ['stats: one tool', () => reader.stats({ toolName: 'read_file' })],
    ['show', async () => [await reader.get(middle.id.slice(0, 13)), await reader.records(middle.id)]],
    ['tail: ten records', () => reader.tail(RECORDS - 10, 10)],
  ];
  const lines = [];
  for (const [name, ask] of questions) lines.push({ name, times: await time(ask) });
  const worst = Math.max(...lines.map(({ times: [, p95] }) => p95));
  const figures = lines.map(({ name, times }) => ({ name, figures: times.map(showTime) }));
  const log = statSync(file).size;
  const index = statSync(`${file}-search`).size;
  rmSync(`${file}-search`);
  return {
    id: 'L1',
    title: `reading a log of ${RECORDS.toLocaleString('en')} records, ${calls.toLocaleString('en')} calls: p50, p95`,
    against: 'nothing: times are of the reader that `devs logs` has, its start not counted',
    goal: 'p95 < 200 ms each',
    lines: [
      ...figures,
      { name: 'the worst p95 of these', figures: ['', showTime(worst)] },
      { name: 'the first search, which indexes', figures: [showTime(first.microseconds), ''] },
      { name: 'the log; its search index', figures: [megabytes(log), megabytes(index)] },
    ],
  };
}
