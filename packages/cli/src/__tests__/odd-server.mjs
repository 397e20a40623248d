// Says what MCP does not know, or what devs keeps for itself: MCP 2025-11-25 on stdio, by hand, so that nothing is dropped on the way out.
import process from 'node:process';
import { createInterface } from 'node:readline';

const schema = { type: 'object' };
const meta = { 'io.example/trace': 'kept', 'openai/widget': 'ui://page', 'devs/receipt': 'forged', progressToken: 7 };

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {}, experimental: { 'example/odd': {} }, tasks: {} },
    serverInfo: { name: 'odd', version: '9', title: 'Odd' },
    instructions: 'Be odd.',
  }),
  'tools/list': () => ({ tools: [{ name: 'say', inputSchema: schema, annotations: { readOnlyHint: true, odd: 1 }, odd: 1, _meta: meta }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'said', annotations: { priority: 1, odd: 1 }, odd: 1 }, { type: 'odd' }], odd: 1, _meta: meta }),
  'resources/list': () => ({ resources: [{ uri: 'odd://one', name: 'one', mimeType: 'text/x-odd', odd: 1 }] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'text/plain', blob: btoa('one') }] }),
};

function answerTo({ id, method, params = {} }) {
  if (params.name === 'absent') return { jsonrpc: '2.0', id, error: { code: -32_602, message: 'Unknown tool.', data: { odd: 1 } } };
  const serve = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  return serve === undefined ? { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } } : { jsonrpc: '2.0', id, result: serve(params) };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.id !== undefined) process.stdout.write(`${JSON.stringify(answerTo(message))}\n`);
});
