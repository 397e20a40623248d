import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { hasPnpm, isUnderPnpm, pinnedPnpm } from '../pnpm.mjs';

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

function writeProgram(folder, text) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'pnpm'), `#!/bin/sh\n${text}\n`);
  chmodSync(path.join(folder, 'pnpm'), 0o755);
}

test('pnpm is asked for its version where no other user of the machine can decide what it answers', { skip: process.platform === 'win32' }, () => {
  const place = mkdtempSync(path.join(os.tmpdir(), 'devs-pnpm-'));
  const [bin, shared, seen] = ['bin', 'shared', 'seen'].map((name) => path.join(place, name));
  try {
    writeProgram(bin, `pwd > '${seen}'; echo 12.21.0`);
    writeProgram(shared, `touch '${seen}-hostile'; echo 12.21.0`);
    // An empty entry of PATH, or `.`, is the current folder.
    const env = { ...process.env, TMPDIR: shared, PATH: ['', '.', bin].join(path.delimiter) };
    assert.equal(hasPnpm('12.21.0', env), true);
    assert.equal(hasPnpm('12.21.1', env), false);
    assert.throws(() => statSync(`${seen}-hostile`), /ENOENT/);
    const asked = readFileSync(seen, 'utf8').trim();
    for (let folder = asked; ; folder = path.dirname(folder)) {
      assert.equal(statSync(folder).mode & 0o002, 0, `${folder} can be written by everybody`);
      if (folder === path.dirname(folder)) break;
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});
