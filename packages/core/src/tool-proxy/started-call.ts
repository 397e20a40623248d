import { DevsError } from '../errors.ts';
import { isRecord } from '../json.ts';
import type { Made } from '../made.ts';
import type { Permit } from '../policy/decide.ts';
import type { Call } from './call/call.ts';
import { withDeadline } from './deadline.ts';
import type { Admitted } from './limits/index.ts';
import type { AgentLogIntent, AgentLogReceipt, AgentLogRecord, AgentLogRepository } from './call/types.ts';

/** Proof that the intent is written. Minted in this file alone; without it no tool runs. */
export type StartedCall = Made<{ readonly call: Call; readonly permit: Permit }, 'log'>;

/**
 * Why the log cannot be written, in devs's words: an agent tells its operator, who may be far from the diagnostics. By the
 * `failure` of what the repository rejects with; of its message nothing goes out.
 */
const OBSTACLES: ReadonlyMap<unknown, string> = new Map([
  ['full', 'its disk is full'],
  ['disk', 'its disk gives errors'],
  ['read-only', 'it is read-only'],
  ['busy', 'another process holds its lock'],
  ['damaged', 'its file is damaged'],
  ['moved', 'its file was moved or replaced'],
  ['rolled-back', 'records are missing from it'],
  ['quota', 'it is as large as audit.maxBytes lets it be'],
  ['reserve', 'its disk has less free than audit.minFreeBytes'],
  ['overloaded', 'too many calls wait to be written'],
]);

/** The call log as the gate uses it: every write has an end, and a failure is said in devs's words. */
export class AuditWriter {
  readonly #repository: AgentLogRepository;
  readonly #timeoutMs: number;

  constructor(repository: AgentLogRepository, timeoutMs: number) {
    this.#repository = repository;
    this.#timeoutMs = timeoutMs;
  }

  /** Throws `AUDIT_UNAVAILABLE` when the intent cannot be written: then nothing has run. */
  async begin({ call, permit }: Admitted, intent: AgentLogIntent): Promise<StartedCall> {
    const repository = this.#repository;
    if (repository.begin !== undefined) {
      const mayWait = !permit.tool.effects;
      await this.#write('AUDIT_UNAVAILABLE', intent, async () => repository.begin?.(intent, { mayWait }));
    }
    return { call, permit } as StartedCall;
  }

  /** Throws `ANSWER_WITHHELD` or `AUDIT_UNAVAILABLE`, by whether a tool may have run. */
  async append(record: AgentLogRecord, ran: boolean): Promise<AgentLogReceipt | undefined> {
    const code = ran ? 'ANSWER_WITHHELD' : 'AUDIT_UNAVAILABLE';
    // A repository without receipts gives nothing; what it calls one is taken for one only if it looks like it.
    return toReceipt(await this.#write(code, record, async () => this.#repository.append(record)));
  }

  async #write<Result>(code: keyof typeof SENTENCES, { id }: AgentLogIntent, write: () => Promise<Result>): Promise<Result> {
    try {
      return await withDeadline(write, { timeoutMs: this.#timeoutMs });
    } catch (cause) {
      if (isLate(cause)) this.#repository.abandon?.(id);
      throw toUnwritten(code, cause);
    }
  }
}

/** As `error-codes.ts` has them, with what is in the way. */
const SENTENCES = {
  AUDIT_UNAVAILABLE: (obstacle: string) => `The call log cannot be written (${obstacle}), so the tool was not run.`,
  ANSWER_WITHHELD: (obstacle: string) => `[OUTPUT WITHHELD: the tool ran, but its result could not be written to the call log (${obstacle})]`,
};

function toUnwritten(code: keyof typeof SENTENCES, cause: unknown): DevsError {
  const obstacle = isLate(cause) ? 'its disk takes too long' : OBSTACLES.get(isRecord(cause) ? cause['failure'] : undefined);
  return new DevsError(code, { cause, ...(obstacle !== undefined && { sentence: SENTENCES[code](obstacle) }) });
}

function isLate(cause: unknown): boolean {
  return DevsError.is(cause) && cause.code === 'TOOL_TIMEOUT';
}

function toReceipt(value: unknown): AgentLogReceipt | undefined {
  if (!isRecord(value)) return undefined;
  const { seq, leaf } = value;
  return typeof seq === 'number' && typeof leaf === 'string' ? { seq, leaf } : undefined;
}
