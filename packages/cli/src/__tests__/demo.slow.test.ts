import { expect, it } from '@jest/globals';
import { BEHAVIOURS, SHOWN } from '@devs/demo';
import { createProject, parseLines } from './devs.ts';

// The whole family of hostile servers goes through here, and nowhere else.
it('devs demo stops every attack, names what stopped it, and the call in the log', async () => {
  await using project = await createProject();
  const { code, stdout, stderr } = await project.run(['demo', '--all', '--json', '--discard']);
  const findings = parseLines(stdout);
  expect(findings.filter(({ held }) => held !== true)).toEqual([]);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/^\n(\d+) attacks, \1 stopped, in /) });
  expect(findings.length).toBeGreaterThanOrEqual(102 + BEHAVIOURS.size - SHOWN.length);
  const calls = findings.filter(({ callId }) => callId !== null);
  expect(calls.length).toBeGreaterThanOrEqual(168);
  expect(new Set(calls.map(({ callId }) => callId)).size).toBe(calls.length);
});
