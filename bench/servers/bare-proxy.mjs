// The floor of a proxy: the SDK's server in front, the SDK's client behind, and nothing between them.
import process from 'node:process';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const client = new Client({ name: 'bare-proxy', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: process.execPath, args: process.argv.slice(2) }));
process.stdin.once('end', () => void client.close());

serveStdio(() => {
  const server = new Server({ name: 'bare-proxy', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async ({ params }) => client.listTools(params));
  server.setRequestHandler('tools/call', async ({ params }) => client.callTool({ name: params.name, arguments: params.arguments }));
  return server;
});
