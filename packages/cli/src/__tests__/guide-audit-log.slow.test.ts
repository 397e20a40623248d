import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createConfigCheck } from '@devs/core';
import { createGuidePlace, readCommands, readGuide, type GuidePlace } from './guide-page.ts';

const PAGE = '../security/audit-log.md';
const SCRIPT = path.resolve(__dirname, '../../../../docs/security/verify-log.mjs');

let place: GuidePlace;
beforeAll(async () => {
  place = await createGuidePlace({ 'hello.txt': 'hello\n', 'docs/security/verify-log.mjs': await readFile(SCRIPT, 'utf8') });
  await writeFile(path.join(place.root, '..', 'bin', 'node'), `#!/bin/sh\nexec "${process.execPath}" "$@"\n`, { mode: 0o755 });
});
afterAll(async () => place[Symbol.asyncDispose]());

const withoutTimes = (output: string) => output.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME');

describe('docs/security/audit-log.md', () => {
  it('shows what its commands print', async () => {
    const commands = await readCommands(PAGE);
    expect(commands.length).toBeGreaterThan(10);
    const shown = commands.map(({ command, output }) => ({ command, output: withoutTimes(output) }));
    const printed: typeof shown = [];
    // One after the other: each works on what the one before it has left.
    for (const command of commands) printed.push({ command: command.command, output: withoutTimes(await place.run(command)) });
    expect(printed).toEqual(shown);
  });

  it('shows configurations that work', async () => {
    const check = createConfigCheck();
    const text = await readGuide(PAGE);
    const shown = [...text.matchAll(/^```json\n(.*?)^```$/gms), ...text.matchAll(/`(\{ "audit".*?\})`/g)].map(([, json = '']) => json);
    expect(shown).toHaveLength(2);
    expect(shown.filter((json) => !check(JSON.parse(json)).ok)).toEqual([]);
  });
});
