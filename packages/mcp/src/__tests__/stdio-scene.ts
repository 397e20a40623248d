import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { isRecord } from '@devs/core';
import { serveOverStdio, type StdioOptions } from '../transports/stdio.ts';
import { createFixture } from './fixture.ts';

export const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'handshake',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
};

type Message = Record<string, unknown>;

/** A call of a tool, as the older protocol sends it, or with `_meta` as the newer one does. */
export function call(id: unknown, params: object = {}): Message {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { text: 'hi' }, ...params } };
}

/** A real server over two streams. What it answers is kept as it comes. */
export function open(options: Partial<StdioOptions> = {}) {
  const fixture = createFixture();
  const input = new PassThrough();
  const output = new PassThrough();
  let text = '';
  output.on('data', (chunk) => (text += String(chunk)));
  const running = serveOverStdio(fixture.server, { input, output, graceMs: 20, ...options });
  const messages = (): readonly Message[] => text.split('\n').filter(Boolean).map(parse);
  const write = (...lines: readonly (string | Message)[]) => {
    for (const line of lines) input.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  };
  return {
    ...fixture,
    input,
    output,
    running,
    write,
    messages,
    answers: () => messages().filter(({ method }) => method === undefined),
    /** Answers under this id, in order. */
    under: (id: unknown) => messages().filter((message) => message['id'] === id && message['method'] === undefined),
    /** Says its last, and waits until the server has said its own. */
    end: async (...lines: readonly (string | Message)[]) => {
      write(...lines);
      input.end();
      await running.closed;
      return messages().filter(({ method }) => method === undefined);
    },
  };
}

function parse(line: string): Message {
  const message: unknown = JSON.parse(line);
  return isRecord(message) ? message : {};
}

export function codeOf(answer: Message | undefined): unknown {
  const error = answer?.['error'];
  if (isRecord(error)) return error['code'];
  const result = answer?.['result'];
  const meta = isRecord(result) ? result['_meta'] : undefined;
  const refusal = isRecord(meta) ? meta['devs/refusal'] : undefined;
  return isRecord(refusal) ? refusal['code'] : 'ok';
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setImmediate();
}

export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await setImmediate();
}
