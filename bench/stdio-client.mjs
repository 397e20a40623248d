// A bare JSON-RPC client over a child's pipes: it adds as little as can be to what is measured.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
};

export async function startServer(script, args) {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
  });
  let lastId = 0;
  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const ask = async (message) =>
    new Promise((resolve) => {
      waiting.set(message.id, resolve);
      send(message);
    });
  const call = async (params) => {
    lastId += 1;
    const { result, error } = await ask({ jsonrpc: '2.0', id: lastId, method: 'tools/call', params });
    if (error !== undefined || result.isError === true) throw new Error(`bench: ${JSON.stringify(error ?? result)}`);
    return result;
  };
  await ask(INITIALIZE);
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return {
    call,
    stop: async () => {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

/** Microseconds for one call, `calls` of them, `atOnce` under way at any time. */
export async function timeCalls(server, params, { calls, atOnce }) {
  let left = calls;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await server.call(params);
    }
  };
  const start = process.hrtime.bigint();
  await Promise.all(Array.from({ length: atOnce }, lane));
  return Number(process.hrtime.bigint() - start) / 1_000 / calls;
}
