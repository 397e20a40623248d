import { existsSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { DEFAULT_CONFIG, DevsError, type Confinement } from '@devs/core';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { Playground } from '../../commands/__tests__/command-scene.ts';
import { openConfinement } from '../../open-confinement.ts';
import { withEffects } from '../told-effects.ts';
import { GitScene } from './git-scene.ts';

const PLANT = 'mkdir -p sub; : > sub/.envrc';
const TOLD = 'No tool may make these, so they were moved aside: sub/.envrc is now sub/.envrc.devs-aside-';

/** A box in which all is done, and of which nobody learns how it ended. */
function failing(confinement: Confinement): Confinement {
  return {
    name: confinement.name,
    probe: async () => confinement.probe(),
    spawn: async (request) => confinement.spawn(request),
    exec: async (request, options) => {
      await confinement.exec(request, options);
      throw new Error('EIO');
    },
  };
}

withBoxes('a refusal says what was moved aside', () => {
  test.each([
    ['a hook that fails', `${PLANT}; exit 1`, 'Nothing was committed: git, or a hook of the project, failed'],
    ['a hook that switches the branch', `${PLANT}; git symbolic-ref HEAD refs/heads/other`, 'Nothing was committed: '],
    ['a hook that commits more than was asked for', `${PLANT}; : > b.txt; git add b.txt`, 'Nothing was committed: '],
  ])('of %s', async (_, script, rest) => {
    using scene = new GitScene().init();
    scene.hook('pre-commit', script);
    scene.write('a.txt', 'two\n');
    const error: unknown = await scene.commit('second', ['a.txt']).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'COMMIT_REFUSED', sentence: expect.stringContaining(`. ${rest}`) });
    expect(DevsError.is(error) && error.sentence.startsWith(TOLD)).toBe(true);
    expect(existsSync(scene.at('sub/.envrc'))).toBe(false);
  });

  test('of a commit whose box fails', async () => {
    using scene = new GitScene().init();
    scene.hook('pre-commit', PLANT);
    scene.write('a.txt', 'two\n');
    const running = scene.commit('second', ['a.txt'], { confinement: failing(scene.confinement) });
    await expect(running).rejects.toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringContaining(TOLD), cause: expect.objectContaining({ message: 'EIO' }) });
  });

  test('of a command whose box fails', async () => {
    using ground = new Playground();
    const boxes = openConfinement({ root: ground.root, sandbox: DEFAULT_CONFIG.sandbox, searchPath: process.env['PATH'] ?? '' });
    const running = ground.run({ argv: ['sh', '-c', PLANT] }, { confinement: failing(boxes) });
    await expect(running).rejects.toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringContaining(TOLD) });
  });
});

test('an error of devs keeps its code and what else it says', () => {
  const error = new DevsError('COMMIT_REFUSED', { sentence: 'No.', suggestion: 'Wait.', decidedBy: 'a rule' });
  const links = [{ path: 'a', leadsTo: 'b', isBack: true }, { path: 'c', leadsTo: 'd', isBack: false }];
  expect(withEffects(error, { movedAside: [], links }, new AbortController().signal)).toMatchObject({
    code: 'COMMIT_REFUSED',
    sentence: 'No tool may remove or replace these links, so they were put back: a to b. These protected links are gone with the folder that they were in: c to d. No.',
    suggestion: 'Wait.',
    decidedBy: 'a rule',
  });
});

test('without effects, or where the call was cancelled, an error is left alone', () => {
  const reason = new Error('cancelled');
  const movedAside = Array.from({ length: 12 }, (_, index) => ({ path: String(index), to: 'x' }));
  expect(withEffects(reason, { movedAside: [], links: [] }, new AbortController().signal)).toBe(reason);
  expect(withEffects(reason, { movedAside, links: [] }, AbortSignal.abort(reason))).toBe(reason);
  expect(withEffects(reason, { movedAside, links: [] }, new AbortController().signal)).toMatchObject({ sentence: expect.stringContaining('9 is now x; and 2 more.') });
});
