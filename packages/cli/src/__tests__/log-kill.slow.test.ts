import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, type Project } from './devs.ts';
import { writeOperatorFile } from './test-client.ts';
import { Load, type Asked } from './log-load.ts';
import { hasHeads, locksOf, missingAnswers, openCallsOf, processesOf, readRecords, verifyAgainst, type Kept } from './log-state.ts';
import { until } from './processes.ts';

/** `DEVS_KILL_SEED` and `DEVS_KILL_ROUNDS` of a run that failed make it again. */
const SEED = Number(process.env['DEVS_KILL_SEED'] ?? 20_261_122);
const ROUNDS = Number(process.env['DEVS_KILL_ROUNDS'] ?? 20);
const OPEN = 32;

/** What a round does, drawn from the seed and its number alone. */
interface Plan {
  readonly round: number;
  readonly durability: 'power' | 'process';
  /** Answers that are seen before the kill, and milliseconds from then on. */
  readonly answers: number;
  readonly delayMs: number;
  /** After how many milliseconds the next start is killed too; undefined: it is not. */
  readonly killRecoveryMs: number | undefined;
  readonly ask: (number: number) => Asked;
}

/** A generator of numbers from 0 to 1, the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function planOf(round: number): Plan {
  const random = createRandom(SEED * 1_000 + round);
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  return {
    round,
    durability: round % 2 === 0 ? 'process' : 'power',
    answers: upTo(200),
    delayMs: upTo(12),
    killRecoveryMs: upTo(2) === 0 ? upTo(400) : undefined,
    ask: (number) => {
      // An effect of its own for each call: the file is there, or it is not.
      if (upTo(2) > 0) return { name: 'write_file', args: { path: effectOf(round, number), content: 'x'.repeat(upTo(1) * upTo(9_000)) } };
      return { name: 'read_file', args: { path: 'hello.txt', limit: 1 + number } };
    },
  };
}

function effectOf(round: number, number: number): string {
  return `effect-${round}-${number}.txt`;
}

/** Of all rounds, for the nightly run to show. */
const figures = { rounds: 0, asked: 0, answered: 0, answeredNotInLog: 0, effects: 0, effectsWithoutStart: 0, orphaned: 0, recoveriesKilled: 0, verified: 0 };

let project: Project;
let heads: string;
/** `seq` of the last record that the rounds before have left. */
let last = 0;
beforeAll(async () => {
  project = await createProject();
  heads = path.join(project.outside, 'heads.jsonl');
});
afterAll(async () => {
  await project[Symbol.asyncDispose]();
  if (process.env['DEVS_KILL_ROUNDS'] !== undefined) process.stderr.write(`kill rounds of seed ${SEED}: ${JSON.stringify(figures)}\n`);
});

function serve(durability: Plan['durability']) {
  const audit = { durability, heads: { everyRecords: 50, everySeconds: 1, systemLog: false, file: heads } };
  return project.start(['serve', '--config', writeOperatorFile(project, { audit })]);
}

/** Under load until it is killed. Gives the client with what has reached it. */
async function runUntilKilled({ durability, answers, delayMs, ask }: Plan): Promise<Load> {
  const load = new Load(serve(durability), { open: OPEN, next: ask });
  await load.untilAnswered(answers);
  await pause(delayMs);
  await load.kill();
  return load;
}

/** A server that nobody asks anything; killed after a while, or left to end by itself. */
async function restart(durability: Plan['durability'], killAfterMs?: number): Promise<void> {
  await using load = new Load(serve(durability), { open: 0, next: () => undefined });
  if (killAfterMs === undefined) await load.finish();
  else await pause(killAfterMs);
}

async function expectIntact(against?: string): Promise<void> {
  expect(await verifyAgainst(project, against)).toEqual({ code: 0, said: '' });
  figures.verified += 1;
}

function filesOf(round: number): readonly string[] {
  return readdirSync(project.root).filter((name) => name.startsWith(`effect-${round}-`));
}

/** Files that were written by a call that the log does not know. */
function effectsWithoutStart(round: number, records: readonly Kept[]): readonly string[] {
  const begun = new Set(records.filter(({ kind }) => kind === 'call.started').map(({ input }) => String(Object(input).path)));
  return filesOf(round).filter((file) => !begun.has(file));
}

function expectNothingLost({ round }: Plan, load: Load, records: readonly Kept[]): void {
  const missing = missingAnswers(load.answers, records);
  const unknown = effectsWithoutStart(round, records);
  figures.rounds += 1;
  figures.asked += load.asked.length;
  figures.answered += load.answers.length;
  figures.answeredNotInLog += missing.length;
  figures.effects += filesOf(round).length;
  figures.effectsWithoutStart += unknown.length;
  expect({ missing, unknown }).toEqual({ missing: [], unknown: [] });
  for (const { name, args } of load.answers) {
    if (name === 'write_file') expect(readFileSync(path.join(project.root, String(args['path'])), 'utf8')).toBe(args['content']);
  }
}

/** What a start after a kill may write, and for whom. */
function expectRecovered(open: readonly Kept[], records: readonly Kept[]): void {
  const calls = records.filter(({ callId }) => callId !== undefined);
  const told = (kept: readonly Kept[]) => kept.map(({ callId, toolName }) => ({ callId, toolName })).toSorted((a, b) => a.callId.localeCompare(b.callId));
  expect(told(calls)).toEqual(told(open));
  expect(calls.every(({ kind, status }) => kind === 'call.orphaned' && status === 'unknown')).toBe(true);
  const facts = new Set(records.filter(({ callId }) => callId === undefined).map(({ kind }) => kind));
  expect(['audit.opened', 'audit.closed', 'audit.head']).toEqual(expect.arrayContaining([...facts]));
  figures.orphaned += calls.length;
}

async function expectNothingLeft(): Promise<void> {
  await until(() => processesOf(project).length === 0);
  expect(locksOf(project)).toEqual([]);
  // What a killed write_file had begun to write aside.
  expect(readdirSync(project.root).filter((name) => !/^(hello\.txt|effect-\d+-\d+\.txt)$/.test(name))).toEqual([]);
}

describe(`devs serve under load, killed at any moment (seed ${SEED})`, () => {
  it.each(Array.from({ length: ROUNDS }, (_, round) => round))('round %i: nothing that was answered or done is missing, and the next start says what is not known', async (round) => {
    const plan = planOf(round);
    const load = await runUntilKilled(plan);
    const records = await readRecords(project, last);
    expectNothingLost(plan, load, records);
    await expectIntact(round % 4 < 2 && hasHeads(heads) ? heads : undefined);
    if (plan.killRecoveryMs !== undefined) {
      figures.recoveriesKilled += 1;
      await restart(plan.durability, plan.killRecoveryMs);
    }
    await restart(plan.durability);
    const written = await readRecords(project, records.at(-1)?.seq ?? last);
    expectRecovered(openCallsOf(records), written);
    last = [...records, ...written].at(-1)?.seq ?? last;
    await expectNothingLeft();
  });

  it('was killed in the middle of something, and is intact to the end', async () => {
    // Each round ends with a server that was let go in peace, and that writes a head: by now they are there.
    await expectIntact(heads);
    await expectIntact();
    expect(figures.orphaned).toBeGreaterThan(0);
    expect(figures.answered).toBeGreaterThan(ROUNDS * 10);
  });
});
