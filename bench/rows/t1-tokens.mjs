import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { makePlace } from '../place.mjs';
import { createSanitize } from '../sanitization.mjs';
import { startServer, serverFile } from '../stdio-client.mjs';

/** What a model pays for devs: tokens as a common encoding counts them. They do not depend on the machine. */
export async function measureTokens() {
  const count = await loadCounter();
  const text = 'one line of a page\n';
  const wrapped = createSanitize({ secrets: true })(text).result.content[0].text;
  using place = makePlace();
  await using servers = new AsyncDisposableStack();
  const server = servers.use(await startServer([serverFile('devs'), place.root, 'none']));
  const tools = await server.list();
  const tokens = (value) => [`${count(value)} tokens`];
  return {
    id: 'T1',
    title: 'what the model pays, in tokens of o200k_base',
    against: 'nothing',
    goal: 'a boundary <= 40, tools/list <= 1,500',
    lines: [
      { name: 'a boundary around a result', figures: [`${count(wrapped) - count(text)} tokens`] },
      { name: `tools/list, ${tools.length} tools`, figures: tokens(JSON.stringify(tools)) },
      ...tools.map((tool) => ({ name: `  ${tool.name}`, figures: tokens(JSON.stringify(tool)) })),
      { name: 'the instructions of the server', figures: tokens(server.instructions ?? '') },
    ],
  };
}

/** The encoding is a dependency of one package. */
async function loadCounter() {
  const require = createRequire(path.resolve('packages/agent/package.json'));
  const { countTokens } = await import(pathToFileURL(require.resolve('gpt-tokenizer/encoding/o200k_base')).href);
  return countTokens;
}
