import { expect, it } from '@jest/globals';
import { safeEnvironment } from '../server-environment.ts';

it('servers of the configuration get what a program needs, and nothing that could be a secret', () => {
  const needed = { HOME: '/home/me', LANG: 'C', LC_ALL: 'C', LC_CTYPE: 'C', LOGNAME: 'me', PATH: '/bin', SHELL: '/bin/sh', TERM: 'xterm', TMPDIR: '/tmp', TZ: 'UTC', USER: 'me' };
  const others = { AWS_SECRET_ACCESS_KEY: 'x', DATABASE_URL: 'x', DEVS_STATE_DIR: '/x', DEVS_TOKEN: 'x', GITHUB_TOKEN: 'x', LD_PRELOAD: '/x.so', NODE_OPTIONS: '--require /x', OLDPWD: '/x', SSH_AUTH_SOCK: '/x', XDG_CONFIG_HOME: '/x', path: 'x' };
  expect(safeEnvironment({ ...others, ...needed }, '/project')).toEqual(needed);
  expect(safeEnvironment({ PATH: '/bin', HOME: undefined }, '/project')).toEqual({ PATH: '/bin' });
});
