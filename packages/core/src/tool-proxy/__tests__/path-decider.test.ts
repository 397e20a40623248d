import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG, settingsFor, type DevsCoreConfig, type ToolConfig } from '../../config/schema.ts';
import { findDecider } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { ToolRegistry } from '../../tool-registry/ToolRegistry.ts';
import { createPathGround, type PathGround } from '../../validation/__tests__/path-ground.ts';
import { codeOf, context, createScene, describeTool, request, wholeText } from './scene.ts';

const SCHEMA: JsonObject = { type: 'object', properties: { path: { type: 'string', format: 'devs-path' } } };
const NINE = Array.from({ length: 9 }, (_, index) => `d${index}`);

let ground: PathGround;
beforeAll(() => {
  ground = createPathGround();
});
afterAll(() => {
  ground[Symbol.dispose]();
});

it.each<[string, Partial<DevsCoreConfig['files']>, ToolConfig['files'], string, string | undefined]>([
  ['blocked for all', { blocked: ['keys', 'secrets'] }, {}, 'secrets/key', 'files.blocked: "secrets"'],
  ['blocked for all, and something for the tool', { blocked: ['secrets'] }, { blocked: ['keys'] }, 'secrets/key', 'files.blocked: "secrets"'],
  ['blocked for the tool', { blocked: ['keys'] }, { blocked: ['secrets'] }, 'SECRETS/none', 'tools.probe.files.blocked: "secrets"'],
  ['blocked for the tool, by a short name', {}, { blocked: ['keys', 'secrets'] }, 'SECRET~1/key', 'tools.probe.files.blocked: "secrets"'],
  ['the root is blocked', { blocked: ['.'] }, {}, 'f', 'files.blocked: "."'],
  ['allowed to all', { allowed: ['d', 'a(b)"'] }, { blocked: ['keys'] }, 'f', 'files.allowed: "d", "a(b)\\""'],
  ['allowed to the tool', { allowed: ['f'] }, { allowed: ['d'] }, 'f', 'tools.probe.files.allowed: "d"'],
  ['what only leads to what is allowed', {}, { allowed: ['d/e'] }, 'd', 'tools.probe.files.allowed: "d/e"'],
  ['a long list', { allowed: NINE }, {}, 'f', 'files.allowed: "d0", "d1", "d2", "d3", "d4", and 4 more'],
  ['depth', { maxDepth: 2 }, {}, 'd/e/g', 'files.maxDepth: 2'],
  ['links', {}, { symlinks: 'refuse' }, 'to-f', 'tools.probe.files.symlinks: "refuse"'],
  ['the root', {}, {}, '../x', undefined],
])('the entry that refused a path is in the log, and the agent is not told it: %s', async (_, files, own, path, decidedBy) => {
  const config = { ...DEFAULT_CONFIG, files: { ...DEFAULT_CONFIG.files, ...files }, tools: { probe: { files: own ?? {} } } };
  const registry = new ToolRegistry({ settingsFor: (name) => settingsFor(config, name) });
  registry.register(describeTool({ authorship: 'foreign', definition: { name: 'probe', inputSchema: SCHEMA } }));
  const scene = createScene({ lookup: () => registry, options: { pathRoot: ground.root } });
  const result = await scene.proxy.execute(request({ toolName: 'probe', args: { path }, context }));
  expect(codeOf(result)).toMatch(/^PATH_/);
  expect(findDecider(scene.records[0]?.detail ?? '')).toBe(decidedBy);
  expect(wholeText(result)).not.toMatch(/files\.|"d0"/);
});
