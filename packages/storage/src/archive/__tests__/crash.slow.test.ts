import { once } from 'node:events';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { callId, outputOf, startChild } from '../../__tests__/fixtures.ts';
import { lockArchive } from '../log-archiver.ts';
import { createArchivePlace, plantedIn, type ArchivePlace } from './fixtures.ts';

const CHILD = '../archive/__tests__/child-archive.ts';
const NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const IDS = NUMBERS.map((number) => callId(number));

async function fill(place: ArchivePlace): Promise<void> {
  await place.write(0, [1, 5]);
  await place.write(70, [6, 9]);
}

/** What a later run makes of whatever an earlier one has left. */
async function expectRepair(place: ArchivePlace): Promise<void> {
  expect(await place.verify()).toMatchObject({ verdict: 'intact' });
  expect(await place.archiver(101).run({ payloadDays: 60, keepDays: 60 })).toMatchObject({ problems: [], isJournalEmpty: true });
  expect(await place.verifyAll()).toMatchObject({ verdict: 'intact', first: { seq: 1 } });
  expect(await place.answered()).toEqual(IDS);
  expect(plantedIn(place.path)).toEqual([6, 7, 8, 9]);
  const named = place.query<{ file: string }>("SELECT header ->> '$.archive.file' AS file FROM records WHERE kind = 'audit.pruned'");
  expect(fs.readdirSync(place.archives).toSorted()).toEqual(named.map(({ file }) => file).toSorted());
}

describe('killed', () => {
  it.each(['planned', 'erased', 'exported', 'checked', 'placed', 'pruned', 'emptied'])('when it had %s: the log is whole, and the next run ends the work', async (step) => {
    using place = createArchivePlace();
    await fill(place);
    const child = startChild(CHILD, place.path, '100', '60', '60', step);
    const [, signal] = await once(child, 'close');
    expect(signal).toBe('SIGKILL');
    const first = place.query<{ seq: number }>('SELECT min(seq) AS seq FROM records').at(0)?.seq ?? 0;
    expect(first > 1).toBe(step === 'pruned' || step === 'emptied');
    await expectRepair(place);
  });
});

/** Runs the child where no file may grow beyond a size; it is told so, and not ended. */
async function runWithin(place: ArchivePlace, blocks: number): Promise<{ readonly output: string; readonly code: unknown }> {
  const tests = path.join(__dirname, '..', '..', '__tests__');
  const hook = pathToFileURL(path.join(tests, 'typescript-hook.mjs')).href;
  const argv = [process.execPath, '--conditions=devs-source', `--import=${hook}`, path.join(tests, CHILD), place.path, '100', '60', '60'];
  const child = spawn('/bin/sh', ['-c', `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`, 'sh', ...argv]);
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  const [code] = await once(child, 'close');
  return { output, code };
}

describe('no room', () => {
  // In blocks of 512 bytes: from where nothing can be written at all to where all can.
  it.each([0, 1, 8, 40, 65, 100, 200, 400, 10_000])('for more than %i blocks a file: it says so or does all, and nothing is lost', async (blocks) => {
    using place = createArchivePlace();
    await fill(place);
    const { output, code } = await runWithin(place, blocks);
    if (blocks === 10_000) expect(JSON.parse(output)).toMatchObject({ erased: 10, problems: [], archives: [{}] });
    if (code === 0 && blocks < 40) expect(JSON.parse(output).problems).not.toEqual([]);
    await expectRepair(place);
  });
});

describe('two at once', () => {
  it('do not: the second one is told', async () => {
    using place = createArchivePlace();
    await fill(place);
    let second: Promise<unknown> | undefined;
    const archiver = place.archiver(100, {
      onStep: (step) => {
        if (step === 'exported') second = place.archiver(100).run({ payloadDays: 60, keepDays: 60 });
        second?.catch(() => undefined);
      },
    });
    expect(await archiver.run({ payloadDays: 60, keepDays: 60 })).toMatchObject({ problems: [] });
    await expect(second).rejects.toMatchObject({ code: 'STATE_UNUSABLE', sentence: expect.stringMatching(/is being archived by another process/) });
    await expectRepair(place);
  });

  it('nor do processes, when one has tried twice', async () => {
    using place = createArchivePlace();
    await fill(place);
    using held = lockArchive(place.log);
    expect(held).toBeDefined();
    expect(() => lockArchive(place.log)).toThrow();
    const child = startChild(CHILD, place.path, '100', '60', '60');
    await expect(outputOf(child)).rejects.toThrow(/is being archived by another process/);
  });

  it('nor does a process that writes wait for long, or lose a call', async () => {
    using place = createArchivePlace();
    await fill(place);
    const child = startChild('child-write.ts', place.log, 'busy', '300');
    const runs = (async () => {
      const problems: string[] = [];
      for (let run = 0; run < 6; run += 1) problems.push(...(await place.archiver(100 + run, { heads: place.keeper() }).run({ payloadDays: 60, keepDays: 60 })).problems);
      return problems;
    })();
    const printed = (await outputOf(child)).trim().split('\n');
    await runs;
    expect(printed).toHaveLength(300);
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact' });
    expect(await place.answered()).toEqual(expect.arrayContaining([...IDS, ...printed]));
  });
});
