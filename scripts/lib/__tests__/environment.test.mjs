import assert from 'node:assert/strict';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { setupEnvironment } from '../environment.mjs';
import { repository } from '../repository.mjs';

test('telemetry is off, and a writable home is used as it is', () => {
  const environment = setupEnvironment({ PATH: '/bin' }, os.tmpdir());
  assert.deepEqual(environment, { PATH: '/bin', TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' });
});

test('without a writable home, caches move into the repository', () => {
  const environment = setupEnvironment({}, path.join(os.tmpdir(), 'no such home'));
  for (const name of ['npm_config_cache', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME']) {
    assert.ok(environment[name].startsWith(repository + path.sep), name);
  }
});
