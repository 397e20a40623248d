// The floor: the SDK's own server with the same tool and nothing else.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const [root] = process.argv.slice(2);

serveStdio(() => {
  const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', async ({ params }) => {
    const text = await readFile(path.join(root, params.arguments.path), 'utf8');
    return { content: [{ type: 'text', text }] };
  });
  return server;
});
