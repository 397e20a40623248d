// An MCP server whose tools look into the log of the devs that called them, and that end when they are told to.
// argv: <main.js of devs> <a file: the calls of `wait` are answered, all at once, when it is there>
import { execFile } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import process from 'node:process';
import readline from 'node:readline';

const [devs, signal] = process.argv.slice(2);
const toLine = (id, result) => `${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`;
const toText = (text) => ({ content: [{ type: 'text', text }] });
const waiting = [];

const tools = {
  // What another process finds in the log of the call that runs at this moment.
  look: (id) => {
    execFile(process.execPath, [devs, 'logs', 'list', '--json', '--tool', 'look'], (_error, stdout) => process.stdout.write(toLine(id, toText(stdout))));
  },
  wait: (id) => {
    appendFileSync(`${signal}.begun`, '.');
    waiting.push(id);
  },
};

setInterval(() => {
  if (waiting.length > 0 && existsSync(signal)) process.stdout.write(waiting.splice(0).map((id) => toLine(id, toText('waited'))).join(''));
}, 5).unref();

readline
  .createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const serverInfo = { name: 'witness', version: '1' };
    if (method === 'initialize') process.stdout.write(toLine(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo }));
    else if (method === 'tools/list') process.stdout.write(toLine(id, { tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) }));
    else tools[params.name](id);
  })
  .on('close', () => process.exit(0));
