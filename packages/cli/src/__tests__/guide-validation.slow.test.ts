import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createConfigCheck, isRecord, validateToolInput, type ValidationMode } from '@devs/core';
import { createGuidePlace, readCommands, readGuide, type GuidePlace } from './guide-page.ts';

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

  it('shows configurations that work', async () => {
    const check = createConfigCheck();
    const shown = [...(await readGuide('validation.md')).matchAll(/^```json\n(.*?)^```$/gms)].map(([, text = '']) => text);
    expect(shown.length).toBeGreaterThan(2);
    expect(shown.filter((text) => !check(JSON.parse(text)).ok)).toEqual([]);
  });

  it('tells of strict and lenient what they do', async () => {
    const rows = [...(await readGuide('validation.md')).matchAll(/^\| (?<wanted>(?:integer|number|boolean|string)[a-z, ]*) \| (?<came>`.*`) \| refused \| (?<lenient>.+) \|$/gm)];
    expect(rows).toHaveLength(5);
    for (const { groups = {} } of rows) {
      const made = codeIn(groups['lenient']);
      for (const type of String(groups['wanted']).split(', ')) {
        for (const [index, came] of codeIn(groups['came']).entries()) {
          expect(judge(type, came, 'strict')).toBe('refused');
          expect(judge(type, came, 'lenient')).toEqual(made.length === 0 ? 'refused' : made[index]);
        }
      }
    }
  });
});

function codeIn(cell = ''): readonly unknown[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']): unknown => JSON.parse(code));
}

function judge(type: string, a: unknown, mode: ValidationMode): unknown {
  const { valid, coerced } = validateToolInput('t', { properties: { a: { type } } }, { a }, { mode });
  return valid && isRecord(coerced) ? coerced['a'] : 'refused';
}
