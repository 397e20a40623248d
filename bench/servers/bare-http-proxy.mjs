// The floor of a gateway: the SDK's sessions over HTTP in front, the SDK's client on stdio behind, and nothing between them.
// usage: node bare-http-proxy.mjs <port> <words of the server after node…>
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';
import { Readable } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';

const [port, ...args] = process.argv.slice(2);
const client = new Client({ name: 'bare-http-proxy', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: process.execPath, args }));

async function startSession(sessions) {
  const server = new Server({ name: 'bare-http-proxy', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async ({ params }) => client.listTools(params));
  server.setRequestHandler('tools/call', async ({ params }) => client.callTool({ name: params.name, arguments: params.arguments }));
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await server.connect(transport);
  return transport;
}

async function serve(sessions, incoming, outgoing) {
  const { method, headers, url } = incoming;
  const body = method === 'POST' ? Readable.toWeb(incoming) : undefined;
  const request = new Request(`http://${headers.host}${url}`, { method, headers, body, duplex: 'half' });
  const transport = sessions.get(headers['mcp-session-id']) ?? (await startSession(sessions));
  const response = await transport.handleRequest(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else Readable.fromWeb(response.body).pipe(outgoing);
}

function listen(sessions) {
  const front = createServer((incoming, outgoing) => void serve(sessions, incoming, outgoing).catch(() => outgoing.destroy()));
  front.listen(Number(port), '127.0.0.1');
}

listen(new Map());
process.once('SIGTERM', () => void client.close().then(() => process.exit(0)));
