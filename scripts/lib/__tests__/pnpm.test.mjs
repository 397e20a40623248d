import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnderPnpm, pinnedPnpm } from '../pnpm.mjs';

test('the pin is read from packageManager and must be exact', () => {
  assert.equal(pinnedPnpm({ packageManager: 'pnpm@12.21.0' }), '12.21.0');
  for (const packageManager of [undefined, 'pnpm@12', 'pnpm@^12.21.0', 'yarn@4.0.0']) {
    assert.throws(() => pinnedPnpm({ packageManager }), /must pin pnpm exactly/);
  }
});

test('who runs a script is read from its user agent', () => {
  assert.equal(isUnderPnpm({ npm_config_user_agent: 'pnpm/12.21.0 npm/? node/? linux x64' }), true);
  assert.equal(isUnderPnpm({ npm_config_user_agent: 'npm/11.19.1 node/v20.20.2 linux x64' }), false);
  assert.equal(isUnderPnpm({}), false);
});
