import { describe, expect, it } from '@jest/globals';
import { answer, createScene, never, request } from './scene.ts';

/** What a repository rejects with: its `failure`, and words that nobody but the operator may read. */
function failing(failure: unknown) {
  return async () => Promise.reject(Object.assign(new Error('/var/lib/host-path'), { failure }));
}

const BEGIN = 'The call log cannot be written';
const APPEND = '[OUTPUT WITHHELD: the tool ran, but its result could not be written to the call log';

async function reasonOf(setting: Parameters<typeof createScene>[0]): Promise<unknown> {
  const { _meta } = await createScene({ execute: async () => answer('x'), ...setting }).proxy.execute(request());
  return Object(_meta?.['devs/refusal']).reason;
}

describe('why the log cannot be written', () => {
  it.each([
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
  ])('%s is told to the agent, in words of devs', async (failure, words) => {
    expect(await reasonOf({ begin: failing(failure) })).toBe(`${BEGIN} (${words}), so the tool was not run.`);
    expect(await reasonOf({ append: failing(failure) })).toBe(`${APPEND} (${words})]`);
  });

  it('is told of a write that takes too long', async () => {
    const options = { logTimeoutMs: 1 };
    expect(await reasonOf({ begin: () => never(), options })).toBe(`${BEGIN} (its disk takes too long), so the tool was not run.`);
    expect(await reasonOf({ append: () => never(), options })).toBe(`${APPEND} (its disk takes too long)]`);
  });

  it.each([['another word'], ['constructor'], [''], [undefined], [null], [{}], [['full']]])('is not made up of %j', async (failure) => {
    expect(await reasonOf({ begin: failing(failure) })).toBe(`${BEGIN}, so the tool was not run.`);
    expect(await reasonOf({ append: failing(failure) })).toBe(`${APPEND}]`);
  });
});
