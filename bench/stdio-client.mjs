// A bare JSON-RPC client over a child's pipes: it adds as little as can be to what is measured.
import { fileURLToPath } from 'node:url';
import { startNode } from './child.mjs';

const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };

/** The file of one of the bench's own servers. */
export const serverFile = (name) => fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url));

/** The program that users start. */
export const DEVS = fileURLToPath(new URL('../packages/cli/dist/main.js', import.meta.url));

/** Starts `node ...args`, an MCP server on stdio, and greets it. Async-disposable. */
export async function startServer(args, options) {
  const { child, exited, said, stop } = startNode(args, options);
  const ask = createAsker(child, { exited, describe: () => `${args.join(' ')} ended. It said: ${said()}` });
  const server = {
    pid: child.pid,
    list: async () => (await ask('tools/list', {})).tools,
    call: async (params) => {
      const result = await ask('tools/call', params);
      if (result.isError === true) throw new Error(`bench: ${JSON.stringify(result)}`);
      return result;
    },
    /** The same for a call that has to be refused. */
    refused: async (params) => {
      const result = await ask('tools/call', params);
      if (result._meta?.['devs/refusal'] === undefined) throw new Error(`bench: not refused: ${JSON.stringify(result)}`);
      return result;
    },
    [Symbol.asyncDispose]: async () => stop(),
  };
  let instructions;
  try {
    ({ instructions } = await ask('initialize', INITIALIZE));
  } catch (cause) {
    await stop();
    throw cause;
  }
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  return { ...server, instructions };
}

/** Asks by method and parameters; rejects on an error, and when the child has ended. */
function createAsker(child, { exited, describe }) {
  const waiting = new Map();
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const { id, result, error } = JSON.parse(line);
      const asked = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) asked?.resolve(result);
      else asked?.reject(new Error(`bench: ${JSON.stringify(error)}`));
    }
  });
  let hasEnded = false;
  void exited.then(() => {
    hasEnded = true;
    for (const { reject } of waiting.values()) reject(new Error(`bench: ${describe()}`));
  });
  let lastId = 0;
  return async (method, params) =>
    new Promise((resolve, reject) => {
      if (hasEnded) throw new Error(`bench: ${describe()}`);
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })}\n`);
    });
}
