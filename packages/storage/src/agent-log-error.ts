/**
 * Why a record was not stored, or the log not read:
 * `duplicate` the call is already there; `invalid` it has no usable id; `busy` another process holds
 * the lock; `full` the disk; `disk` it gives errors; `damaged` what lies there is no whole database; `read-only` the file
 * or its disk; `moved` the file is not the one that was opened; `rolled-back` records that were acknowledged are not in it
 * any more; `quota` it is as large as `audit.maxBytes` lets it be; `reserve` its disk has no more free than `audit.minFreeBytes`;
 * `overloaded` more waits to be written than the log can hold; `closed` by us; `failed` anything else, see `cause`.
 */
export type AgentLogFailure =
  | 'duplicate'
  | 'invalid'
  | 'busy'
  | 'full'
  | 'disk'
  | 'damaged'
  | 'read-only'
  | 'moved'
  | 'rolled-back'
  | 'quota'
  | 'reserve'
  | 'overloaded'
  | 'abandoned'
  | 'closed'
  | 'failed';

const SENTENCES: Readonly<Record<AgentLogFailure, string>> = {
  duplicate: 'the call log already has this part of the call',
  invalid: 'a call id is 8 to 128 printable ASCII characters without spaces',
  busy: 'another process holds the lock of the call log',
  full: 'the disk of the call log is full',
  disk: 'the disk of the call log gives errors',
  damaged: 'the file of the call log is damaged. Stop devs, and run `devs logs verify`',
  'read-only': 'the call log cannot be written: it is read-only',
  moved: 'the file of the call log was moved, deleted or replaced; restart devs when you know why',
  'rolled-back': 'the call log has lost or changed records that were written: somebody put another copy in its place. Run `devs logs verify`',
  quota: 'the call log is as large as audit.maxBytes lets it be. Move records out (`devs logs archive`), or raise it',
  reserve: 'the disk of the call log has less free than audit.minFreeBytes. Make room, or lower it',
  overloaded: 'more calls wait to be written than the call log can hold: its disk is too slow or its lock is held',
  abandoned: 'nobody waited for this record any more, so it was not written',
  closed: 'the call log is closed',
  failed: 'the call log failed',
};

/** For the operator and the gate, which refuses the call. Its message holds no data and no path. */
export class AgentLogError extends Error {
  readonly failure: AgentLogFailure;

  constructor(failure: AgentLogFailure, cause?: unknown) {
    super(SENTENCES[failure], cause === undefined ? undefined : { cause });
    this.name = 'AgentLogError';
    this.failure = failure;
  }
}
