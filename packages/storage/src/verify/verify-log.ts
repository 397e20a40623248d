import type { KeyObject } from 'node:crypto';
import type { HeadProblem } from '../heads/examine.ts';
import type { FoundHead } from '../heads/read-heads.ts';
import { toProblem } from './anchors.ts';
import { collectFacts, NO_FACTS, type CollectedFacts } from './collect-facts.ts';
import { LogWalk } from './log-walk.ts';
import { SourceFailure, type RecordSource } from './record-source.ts';
import { Findings, tampered, type VerifyReport } from './report.ts';

export interface VerifyOptions {
  /** Heads and receipts that were kept outside of the log. See `readHeads`. */
  readonly heads?: readonly FoundHead[];
  /** Whether they are of several logs: then it is no finding that none is of this one. Default false. */
  readonly areHeadsShared?: boolean;
  /** What devs remembers of the log and its place, where that speaks against it. See `examineSqliteLog`. */
  readonly remembered?: HeadProblem | undefined;
  /** The public key to believe. Without it each head is held against the key that it names itself. */
  readonly key?: KeyObject;
  /** Whether it is a finding that the key signed no head of this log, be it kept outside or in the log. Default false. */
  readonly isKeyExpected?: boolean;
  /** Ends the check between two records. */
  readonly signal?: AbortSignal;
}

/**
 * Reads a log twice, in bounded memory, and says whether it is as devs wrote it. Never throws for what the log holds;
 * a faulty log is a report.
 * @throws the reason of `signal`
 */
export async function verifyLog(source: RecordSource, options: VerifyOptions = {}): Promise<VerifyReport> {
  const { heads: found = [], areHeadsShared: areShared = false, key, isKeyExpected = false, signal } = options;
  const findings = new Findings();
  for await (const fault of source.faults()) findings.add(fault);
  const isReadable = findings.verdict !== 'tampered';
  const facts = isReadable ? await collectFacts(source, findings, signal) : NO_FACTS;
  const walk = new LogWalk({ source, facts, anchors: { found, areShared, key }, isKeyExpected });
  if (isReadable) await check(source, { walk, findings, signal, facts });
  if (options.remembered !== undefined) findings.add(toProblem(options.remembered));
  return walk.report(findings);
}

interface Checking extends Reading {
  readonly facts: CollectedFacts;
}

async function check(source: RecordSource, { facts, ...reading }: Checking): Promise<void> {
  const { walk, findings, signal } = reading;
  const isRead = await readAll(source, reading);
  if (isRead && !facts.isComplete) findings.add(tampered(null, 'damaged', 'what it says of its erasures could not be read to the end, and its records could: an index is damaged, or it was changed while it was read'));
  for await (const problem of source.surroundings({ ...walk.surroundingFacts, isRead, signal })) {
    findings.add(problem);
    signal?.throwIfAborted();
  }
}

interface Reading {
  readonly walk: LogWalk;
  readonly findings: Findings;
  readonly signal: AbortSignal | undefined;
}

/** Up to the first tampering: what comes after it cannot be the first. Gives whether it came to the end. */
async function readAll(source: RecordSource, reading: Reading): Promise<boolean> {
  const { walk, findings } = reading;
  try {
    if (!(await readBatches(source, reading))) return false;
    for (const problem of walk.end()) findings.add(problem);
    return findings.verdict !== 'tampered';
  } catch (cause) {
    if (!(cause instanceof SourceFailure)) throw cause;
    for (const problem of walk.endEarly(cause.problem)) findings.add(problem);
    return false;
  }
}

async function readBatches(source: RecordSource, { walk, findings, signal }: Reading): Promise<boolean> {
  for await (const batch of source.records()) {
    signal?.throwIfAborted();
    for (const record of batch) {
      const problem = walk.take(record);
      if (problem === undefined) continue;
      findings.add(problem);
      if (walk.isOver || problem.verdict === 'tampered') return false;
    }
  }
  return true;
}
