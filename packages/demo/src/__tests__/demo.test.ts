import { describe, expect, it } from '@jest/globals';
import { judge } from '../attack.ts';
import { judgeBox } from '../box-attacks.ts';

// It is carried out in demo.slow.test.ts.
describe('devs demo', () => {
  const entry = { id: 'call-1', code: 'PATH_OUTSIDE_ROOT', status: 'denied' };
  const stage = (newest: object | undefined) => ({ secret: 'the secret', place: __dirname, newestCall: async () => newest }) as Parameters<typeof judge>[0];
  const wanted = { code: 'PATH_OUTSIDE_ROOT' } as const;

  // A demo that cannot fail shows nothing.
  it.each([
    ['an answer with the secret in it', stage(entry), [{ text: 'so: the secret' }], 'the answer holds the secret'],
    ['a call that is not in the log', stage(undefined), [{}], 'it is not in the log'],
    ['no answer', stage(entry), [], 'nothing was answered'],
    ['a call that ran', stage({ ...entry, code: null, status: 'ok' }), [{}], 'nothing: ok'],
    ['a call stopped by something else', stage({ ...entry, code: 'TOOL_TIMEOUT' }), [{}], 'TOOL_TIMEOUT'],
  ])('does not count as stopped: %s', async (_name, on, answers, stoppedBy) => {
    expect(await judge(on, answers, wanted)).toMatchObject({ held: false, stoppedBy });
  });

  const boxed = { id: 'call-2', code: null, enforcement: { by: 'bubblewrap', guarantees: [] } };
  it.each([
    ['an answer with the secret in it', stage(boxed), { answers: ['the secret'] }, false, 'the answer holds the secret'],
    ['a command that has left something', stage(boxed), { trace: 'demo.test.ts' }, false, 'it has left demo.test.ts'],
    ['a command in no box', stage({ ...boxed, enforcement: { by: 'none', guarantees: [] } }), {}, false, 'nothing: it ran in no box'],
    ['a call that is not in the log', stage(undefined), {}, false, 'it is not in the log'],
    ['no answer', stage(boxed), { answers: [] }, false, 'nothing was answered'],
    ['a command in a box that got nowhere', stage(boxed), {}, true, 'the box: files'],
    ['a command that was refused for want of a box', stage({ ...boxed, code: 'SANDBOX_UNAVAILABLE' }), {}, true, 'SANDBOX_UNAVAILABLE'],
  ])('judges %s', async (_, on, outcome, held, stoppedBy) => {
    expect(await judgeBox(on, { answers: [{}], guard: 'files', trace: undefined, ...outcome })).toMatchObject({ held, stoppedBy });
  });

  it('counts as stopped: refused, recorded, and nothing told', async () => {
    expect(await judge(stage(entry), [{ isError: true }], wanted)).toEqual({ held: true, stoppedBy: 'PATH_OUTSIDE_ROOT', callId: 'call-1' });
  });
});
