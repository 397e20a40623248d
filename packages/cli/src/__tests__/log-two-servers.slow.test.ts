import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createProject, type Project } from './devs.ts';
import { writeOperatorFile } from './test-client.ts';
import { Load, type Asked } from './log-load.ts';
import { hasHeads, locksOf, missingAnswers, openCallsOf, processesOf, readRecords, verifyAgainst } from './log-state.ts';
import { until } from './processes.ts';

const MAIN = path.resolve(__dirname, '..', '..', 'dist', 'main.js');
const WITNESS = path.join(__dirname, 'log-witness.mjs');
const OPEN = 16;

function effect(name: string, number: number): Asked {
  return { name: 'write_file', args: { path: `${name}-${number}.txt`, content: `${number}` } };
}

/** Signed heads go to a file that is handed to `verify`. */
function createScene(project: Project) {
  const [heads, go] = [path.join(project.outside, 'heads.jsonl'), path.join(project.outside, 'go')];
  const config = writeOperatorFile(project, { audit: { heads: { everyRecords: 40, systemLog: false, file: heads } } });
  return {
    heads,
    config,
    countWaiting: () => (existsSync(`${go}.begun`) ? readFileSync(`${go}.begun`).length : 0),
    go: () => writeFileSync(go, ''),
    // Calls of a tool that nobody answers before it is told to: they are open whatever happens beside them.
    waiting: ['run', '--config', config, '--', process.execPath, WITNESS, MAIN, go],
    serving: ['serve', '--config', config],
  };
}

describe('two servers on one log, one of them killed', () => {
  it('its open calls are nobody’s, and those of the other stay open until they are answered', async () => {
    await using project = await createProject();
    const scene = createScene(project);
    await using survivor = new Load(project.start(scene.waiting), { open: OPEN, next: (number) => (number < OPEN ? { name: 'wait', args: {} } : undefined) });
    await until(() => scene.countWaiting() === OPEN);
    await using victim = new Load(project.start(scene.serving), { open: OPEN, next: (number) => effect('victim', number) });
    await victim.untilAnswered(100);
    await victim.kill();
    const killed = openCallsOf(await readRecords(project)).filter(({ toolName }) => toolName !== 'wait');

    await using third = new Load(project.start(scene.serving), { open: OPEN, next: (number) => (number < 50 ? effect('third', number) : undefined) });
    await third.untilAnswered(50);
    const records = await readRecords(project);
    const orphans = records.filter(({ kind }) => kind === 'call.orphaned').map(({ callId }) => callId);
    expect(orphans.toSorted()).toEqual(killed.map(({ callId }) => callId).toSorted());
    expect(openCallsOf(records).map(({ toolName }) => toolName)).toEqual(Array.from({ length: OPEN }, () => 'wait'));
    await until(() => hasHeads(scene.heads));
    expect(await verifyAgainst(project, scene.heads)).toEqual({ code: 0, said: '' });

    scene.go();
    await survivor.untilAnswered(OPEN);
    await Promise.all([survivor.finish(), third.finish()]);
    const all = await readRecords(project);
    expect(missingAnswers([...victim.answers, ...third.answers, ...survivor.answers], all)).toEqual([]);
    expect(survivor.answers).toHaveLength(OPEN);
    expect(openCallsOf(all)).toEqual([]);
    expect(await verifyAgainst(project, scene.heads)).toEqual({ code: 0, said: '' });
    await until(() => processesOf(project).length === 0);
    expect(locksOf(project)).toEqual([]);
  });

  it('the other goes on under load, and nothing of either is missing', async () => {
    await using project = await createProject();
    const scene = createScene(project);
    const start = (name: string) => new Load(project.start(scene.serving), { open: OPEN, next: (number) => (number < 400 ? effect(name, number) : undefined) });
    await using first = start('first');
    await using second = start('second');
    await first.untilAnswered(150);
    await first.kill();
    await second.untilAnswered(400);
    await second.finish();
    const records = await readRecords(project);
    expect(second.answers).toHaveLength(400);
    expect(missingAnswers([...first.answers, ...second.answers], records)).toEqual([]);
    expect(await verifyAgainst(project, scene.heads)).toEqual({ code: 0, said: '' });
  });
});
