// npm's fastmcp brings no proxy: a server of it whose tool hands on is what people make of it.
// usage: node fastmcp-proxy.mjs <fastmcp's main file> <port> <words of the server after node…>
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [file, port, ...args] = process.argv.slice(2);
const { FastMCP } = await import(pathToFileURL(file).href);
const client = new Client({ name: 'fastmcp-proxy', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: process.execPath, args }));
const { tools } = await client.listTools();
const server = new FastMCP({ name: 'fastmcp-proxy', version: '1.0.0' });
/** It takes schemas of validation libraries alone: one that takes everything. */
const anything = {
  '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }), jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) } },
};
for (const { name, description } of tools) {
  server.addTool({ name, description, parameters: anything, execute: async (given) => client.callTool({ name, arguments: given }) });
}
await server.start({ transportType: 'httpStream', httpStream: { host: '127.0.0.1', port: Number(port), endpoint: '/mcp' } });
