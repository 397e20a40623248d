// The check of configurations that the build writes out, beside the one that Ajv compiles from the same sources.
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { test } from 'node:test';
import { compileCheck as compileBuilt } from '../../packages/core/dist/config/compile-check.js';
import { compileCheck } from '../../packages/core/src/config/compile-check.ts';
import { CONFIG_SCHEMA } from '../../packages/core/src/config/json-schema.ts';

const VALUES = [null, true, 0, -1, 1.5, 1e12, '', 'x', 'x'.repeat(300), '😀'.repeat(255), '/', [], [''], ['a/b', 7], {}, { x: 1 }];
const SERVERS = [{}, { command: '' }, { command: 'a', url: 'b' }, { url: 'https://example.com', sandbox: {} }, { command: 'a', args: [1], env: { A: 1 }, limits: { x: 1 } }];

/** Every key of the schema with every value, servers and settings of tools among them. */
function* candidates() {
  for (const value of VALUES) yield value;
  for (const [section, schema] of Object.entries(CONFIG_SCHEMA.properties)) {
    for (const value of VALUES) yield { [section]: value };
    for (const key of [...Object.keys(schema.properties ?? {}), 'unknown', 'name_of_tool']) {
      for (const value of VALUES) yield { [section]: { [key]: value } };
    }
  }
  for (const server of SERVERS) yield { mcpServers: { one: server, two: { command: 'b', ...server } } };
}

test('the built check completes and refuses as the compiled one does', () => {
  const [built, compiled] = [compileBuilt(), compileCheck()];
  const answers = new Set();
  for (const candidate of candidates()) {
    const [one, other] = [built, compiled].map((check) => {
      const value = structuredClone(candidate);
      return { fits: check(value), errors: check.errors, value };
    });
    assert.deepEqual(one, other);
    answers.add(one.fits);
  }
  assert.equal(answers.size, 2);
});

test('a built check refuses to stand for another schema', async () => {
  const other = { url: 'data:text/javascript,export const CONFIG_SCHEMA = {}', shortCircuit: true };
  const hooks = registerHooks({ resolve: (name, context, next) => (name === './json-schema.js' ? other : next(name, context)) });
  try {
    const { compileCheck: compileStale } = await import('../../packages/core/dist/config/compile-check.js?stale');
    assert.throws(compileStale, /run the build of @devs\/core/);
  } finally {
    hooks.deregister();
  }
});

test('the build has written the check out', () => {
  assert.match(compileBuilt.toString(), /createHash/);
});
