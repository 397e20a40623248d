// The floor: the SDK's own server with the same tools and nothing else.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const [root] = process.argv.slice(2);
const inputSchema = { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } }, required: ['path'] };
const tools = [
  { name: 'read_file', description: 'Reads a file.', inputSchema },
  { name: 'write_file', description: 'Writes a file.', inputSchema },
];

async function run(name, { path: file, content }) {
  if (name === 'read_file') return await readFile(path.join(root, file), 'utf8');
  // As devs writes: flushed, so that what is compared is the gate and not the disk.
  await writeFile(path.join(root, file), content, { flush: true });
  return `Wrote ${file}.`;
}

serveStdio(() => {
  const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => ({ tools }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const text = await run(params.name, params.arguments);
    return { content: [{ type: 'text', text }] };
  });
  return server;
});
