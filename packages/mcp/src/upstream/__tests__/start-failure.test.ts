import { spawn } from 'node:child_process';
import { validateHeaderName } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { describeCause, DevsError } from '@devs/core';
import { toReachFailure } from '../http/reach-failure.ts';
import { toStartFailure } from '../stdio/start-failure.ts';

const SECRET = 'the-secret-of-the-server\u0000';
const run = (args: readonly string[], more: object) => void spawn(process.execPath, [...args], { stdio: 'ignore', ...more });

function thrownBy(act: () => void): unknown {
  try {
    act();
  } catch (cause) {
    return cause;
  }
  throw new Error('nothing was thrown');
}

const started = (cause: unknown) => toStartFailure({ command: 'x', exit: { kind: 'not started', cause }, timeoutMs: 1, isConfined: false, cause });
const reached = (cause: unknown) => toReachFailure(cause, 1);

describe('why a server is not there is told without what it was given', () => {
  it.each<[string, (cause: unknown) => DevsError, () => void, string]>([
    ['an argument', started, () => run([SECRET], {}), 'ERR_INVALID_ARG_VALUE'],
    ['a variable', started, () => run([], { env: { T: SECRET } }), 'ERR_INVALID_ARG_VALUE'],
    ['a folder', started, () => run([], { cwd: SECRET }), 'ERR_INVALID_ARG_VALUE'],
    ['a header', reached, () => validateHeaderName(SECRET), 'ERR_INVALID_HTTP_TOKEN'],
  ])('%s', (_name, toFailure, act, code) => {
    const cause = thrownBy(act);
    expect(describeCause(cause)).toContain('the-secret');
    const told = describeCause(toFailure(cause));
    expect(told).not.toContain('the-secret');
    expect(told).toMatch(new RegExp(`\\(Error: ${code}\\)$`));
  });

  it('and with what else there is to know', () => {
    const late = new DevsError('CALL_CANCELLED');
    expect([started(late).cause, reached(late).cause]).toEqual([late, late]);
  });
});
