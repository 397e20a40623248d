import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { openSqliteAgentLogReader } from '@devs/storage';
import type { Project } from './devs.ts';
import type { Answered } from './log-load.ts';

/** One record of the log, as far as these tests look at it. */
export interface Kept {
  readonly seq: number;
  readonly leaf: string;
  readonly kind: string;
  readonly callId: string;
  readonly toolName: string;
  readonly status: string | undefined;
  readonly started: number | null | undefined;
  readonly input: unknown;
}

const PAGE = 1_000;

/** All records after a `seq`, in their order, read from the file itself: no server is asked. */
export async function readRecords({ state }: Project, after = 0): Promise<readonly Kept[]> {
  const file = path.join(state, 'agent_logs.db');
  await using reader = openSqliteAgentLogReader({ file });
  const kept: Kept[] = [];
  for (let last = after; ; last = kept.at(-1)?.seq ?? after) {
    const page = await reader.tail(last, PAGE);
    for (const { seq, leaf, header, payload } of page) {
      const { kind, callId, toolName, status, started } = Object(header);
      kept.push({ seq, leaf, kind, callId, toolName, status, started, input: Object(payload).input });
    }
    if (page.length < PAGE) return kept;
  }
}

/** Calls that have begun and have no outcome. */
export function openCallsOf(records: readonly Kept[]): readonly Kept[] {
  const ended = new Set(records.filter(({ status }) => status !== undefined).map(({ callId }) => callId));
  return records.filter(({ kind, callId }) => kind === 'call.started' && !ended.has(callId));
}

/** A server that was killed early has not written a head yet, or has only begun the line: nothing to hold a log against. */
export function hasHeads(file: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').includes('\n');
}

/**
 * What `devs logs verify` ends with; what it says where it is not content: the exit code alone helps nobody. Against the
 * file of heads, if it is there; without one against what devs itself remembers.
 */
export async function verifyAgainst(project: Project, heads?: string): Promise<{ readonly code: number | null; readonly said: string }> {
  const against = heads === undefined ? [] : ['--against', heads];
  const { code, stdout, stderr } = await project.run(['logs', 'verify', ...against]);
  return { code, said: code === 0 ? '' : stdout + stderr };
}

/** Answers that the log does not tell of, at the very place that their receipts name. */
export function missingAnswers(answers: readonly Answered[], records: readonly Kept[]): readonly unknown[] {
  const bySeq = new Map(records.map((record) => [record.seq, record]));
  return answers.filter(({ name, args, isError, receipt }) => {
    const outcome = bySeq.get(receipt?.seq ?? 0);
    const start = bySeq.get(outcome?.started ?? 0);
    const tells = { leaf: outcome?.leaf, kind: outcome?.kind, status: outcome?.status, tool: start?.toolName, input: start?.input };
    const wanted = { leaf: receipt?.leaf, kind: 'call.finished', status: 'ok', tool: name, input: args };
    return isError || JSON.stringify(tells) !== JSON.stringify(wanted);
  });
}

/** Locks of sessions that lie beside the log. */
export function locksOf({ state }: Project): readonly string[] {
  return readdirSync(state).filter((name) => name.includes('-session-'));
}

/** Processes that were started for this state folder and are still there. On Linux; elsewhere nobody can be asked. */
export function processesOf({ state }: Project): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').map(Number).filter((pid) => pid > 0 && isOf(pid, state));
}

function isOf(pid: number, state: string): boolean {
  try {
    // Of a zombie it is empty.
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`DEVS_STATE_DIR=${state}`);
  } catch {
    return false;
  }
}
