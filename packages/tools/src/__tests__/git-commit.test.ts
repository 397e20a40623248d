import { describe, expect, test } from '@jest/globals';
import { DevsError, type CommitOutcome, type CommitPlan } from '@devs/core';
import { gitCommitTool } from '../git-commit/git-commit.ts';
import { argsFor } from './fake-files.ts';

const OUTCOME: CommitOutcome = { commit: '0123456789abcdef0123456789abcdef01234567', branch: 'main', summary: ' a.txt | 2 +-\n 1 file changed', movedAside: [] };

async function call(args: unknown, outcome: Partial<CommitOutcome> = {}): Promise<{ readonly answer: unknown; readonly plans: readonly CommitPlan[] }> {
  const plans: CommitPlan[] = [];
  const commit = async (plan: CommitPlan) => {
    plans.push(plan);
    return await Promise.resolve({ ...OUTCOME, ...outcome });
  };
  const { signal } = new AbortController();
  return { answer: await gitCommitTool.handler(argsFor(gitCommitTool, args), { repository: { commit }, signal }), plans };
}

describe('git_commit', () => {
  test('says where the commit went, and what it changes', async () => {
    const { answer, plans } = await call({ message: 'why' });
    expect(answer).toEqual({ content: [{ type: 'text', text: 'Committed 0123456789ab on main.\n\n a.txt | 2 +-\n 1 file changed' }] });
    expect(plans).toEqual([{ message: 'why' }]);
  });

  test.each<[string, string | undefined, string]>([
    ['a detached head', undefined, 'Committed 0123456789ab on no branch (detached head).'],
    ['a branch that would forge a word of devs', 'x\u202e', 'Committed 0123456789ab on "x\\u202e".'],
  ])('%s', async (_, branch, expected) => {
    expect((await call({ message: 'x' }, { branch })).answer).toMatchObject({ content: [{ text: expect.stringContaining(expected) }] });
  });

  test('says what hooks made that was moved aside, also where the rest is withheld', async () => {
    const { answer } = await call({ message: 'x' }, { movedAside: [{ path: 'a\nb/.git', to: 'a\nb/.git.devs-aside-1' }] });
    const text = '[devs: no tool may make these, so they were moved aside: "a\\nb/.git" is now "a\\nb/.git.devs-aside-1".]';
    expect(answer).toMatchObject({ content: [{ type: 'text' }, { type: 'notice', text, tellsEffect: true }] });
  });

  test('hands the paths on as they are', async () => {
    const paths = ['-n', ':(top)x', '*', 'a b', '/abs'];
    expect((await call({ message: 'x', paths })).plans).toEqual([{ message: 'x', paths }]);
  });

  test.each<[string, unknown]>([
    ['no message', {}],
    ['an empty one', { message: '' }],
    ['one that is too long', { message: 'x'.repeat(10_001) }],
    ['one with a NUL', { message: 'a\0b' }],
    ['no paths at all', { message: 'x', paths: [] }],
    ['an empty path', { message: 'x', paths: [''] }],
    ['a path that is none', { message: 'x', paths: [1] }],
    ['too many', { message: 'x', paths: Array.from({ length: 1_001 }, () => 'a') }],
    ['something else', { message: 'x', amend: true }],
  ])('the schema refuses %s', (_, args) => {
    expect(() => argsFor(gitCommitTool, args)).toThrow('refused');
  });

  test('a lone surrogate is refused, not committed as something else', async () => {
    await expect(call({ message: 'x\ud800' })).rejects.toMatchObject({ code: 'CONTENT_REFUSED' });
  });

  test('what the repository refuses keeps its words', async () => {
    const refusal = new DevsError('COMMIT_REFUSED', { sentence: 'Nothing was committed: x.' });
    const { signal } = new AbortController();
    const commit = async () => await Promise.reject(refusal);
    await expect(gitCommitTool.handler(argsFor(gitCommitTool, { message: 'x' }), { repository: { commit }, signal })).rejects.toBe(refusal);
  });
});
