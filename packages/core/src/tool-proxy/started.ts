import { DevsError } from '../errors.ts';
import type { Made } from '../made.ts';
import type { Permit } from '../policy/decide.ts';
import type { Call } from './call.ts';
import { withDeadline } from './deadline.ts';
import type { AgentLogIntent, AgentLogRecord, AgentLogRepository } from './types.ts';

/** Proof that the intent is written. Minted in this file alone; without it no tool runs. */
export type Started = Made<{ readonly call: Call; readonly permit: Permit }, 'log'>;

/** The call log as the gate uses it: every write has an end, and a failure is said in devs's words. */
export class Evidence {
  readonly #repository: AgentLogRepository;
  readonly #timeoutMs: number;

  constructor(repository: AgentLogRepository, timeoutMs: number) {
    this.#repository = repository;
    this.#timeoutMs = timeoutMs;
  }

  /** Throws `AUDIT_UNAVAILABLE` when the intent cannot be written: then nothing has run. */
  async begin(call: Call, permit: Permit, intent: AgentLogIntent): Promise<Started> {
    const repository = this.#repository;
    if (repository.begin !== undefined) {
      await this.#write('AUDIT_UNAVAILABLE', async () => repository.begin?.(intent));
    }
    return { call, permit } as Started;
  }

  /** Throws `ANSWER_WITHHELD` or `AUDIT_UNAVAILABLE`, by whether a tool may have run. */
  async append(record: AgentLogRecord, ran: boolean): Promise<void> {
    const code = ran ? 'ANSWER_WITHHELD' : 'AUDIT_UNAVAILABLE';
    await this.#write(code, async () => this.#repository.append(record));
  }

  async #write(code: 'AUDIT_UNAVAILABLE' | 'ANSWER_WITHHELD', write: () => Promise<void>): Promise<void> {
    try {
      await withDeadline(write, { timeoutMs: this.#timeoutMs });
    } catch (cause) {
      throw new DevsError(code, { cause });
    }
  }
}
