import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGuidePlace, readCommands, type GuidePlace } from './guide-page.ts';

const FILES = {
  'notes/plan.txt': 'plan\n',
  'notes/2026.txt': 'January\n',
  'src/main.ts': 'export {};\n',
  'secrets/key.txt': 'not for tools\n',
};

let place: GuidePlace;
beforeAll(async () => {
  place = await createGuidePlace(FILES);
});
afterAll(async () => place[Symbol.asyncDispose]());

describe('docs/guide/validation.md', () => {
  it('shows what its commands print', async () => {
    const commands = await readCommands('validation.md');
    expect(commands.length).toBeGreaterThan(10);
    const shown = commands.map(({ command, output }) => ({ command, output }));
    const printed: typeof shown = [];
    // One after the other: each works on what the one before it has left.
    for (const command of commands) printed.push({ command: command.command, output: await place.run(command) });
    expect(printed).toEqual(shown);
  });
});
