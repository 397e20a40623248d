import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createConfigCheck } from '@devs/core';
import { createGuidePlace, readCommands, readGuide, type GuidePlace } from './guide-page.ts';

const PAGE = 'gateway.md';
const SERVER = path.resolve(__dirname, 'notes-server.mjs');
/** Asked a second time, the page shows what a later version of the server is met with. */
const ASKED_TWICE = 'devs tools | tail -n 1';

let place: GuidePlace;
beforeAll(async () => {
  place = await createGuidePlace({});
  await place.install('notes-server', [SERVER]);
});
afterAll(async () => place[Symbol.asyncDispose]());

/** Times, ids and what stands on standard error for the operator differ from run to run. */
function withoutChance(output: string): string {
  return output
    .replaceAll(/^\{"level":.*\n/gm, '')
    .replaceAll(/external-content-[0-9a-f]{12}/g, 'external-content-ID')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replaceAll(/^TIME {2}[0-9a-f-]{18}/gm, 'TIME  ID')
    .replaceAll(/\bcli-[0-9a-f]+#0 {2}\d+(?:\.\d+)? m?s/g, 'AGENT  DURATION');
}

describe(`docs/guide/${PAGE}`, () => {
  it('shows what its commands print', async () => {
    const commands = await readCommands(PAGE);
    expect(commands.filter(({ command }) => command === ASKED_TWICE)).toHaveLength(2);
    const shown = commands.map(({ command, output }) => ({ command, output }));
    const printed: typeof shown = [];
    // One after the other: each works on what the one before it has left.
    for (const { command, ...rest } of commands) {
      if (printed.some((before) => before.command === ASKED_TWICE) && command === ASKED_TWICE) await place.install('notes-server', [SERVER, 'helpful']);
      printed.push({ command, output: withoutChance(await place.run({ command, ...rest })) });
    }
    expect(printed).toEqual(shown);
  });

  it('shows configurations that work', async () => {
    const check = createConfigCheck();
    const shown = [...(await readGuide(PAGE)).matchAll(/^```json\n(.*?)^```$/gms)].map(([, text = '']) => text);
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.filter((text) => !check(JSON.parse(text)).ok)).toEqual([]);
  });
});
