import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import type { JsonObject } from '@devs/core';

/** What was asked of the API. */
export interface Asked {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: { readonly messages: readonly { readonly role: string; readonly content: readonly JsonObject[] }[] } & JsonObject;
}

/** One turn of the script: answers a request as it likes. */
export type Turn = (response: ServerResponse, asked: Asked) => void | Promise<void>;

export interface FakeApi extends AsyncDisposable {
  readonly url: string;
  readonly asked: readonly Asked[];
}

/** The Messages API on this machine, as documented: server-sent events, one script of answers. Past its end it answers 500. */
export async function startFakeApi(turns: readonly Turn[]): Promise<FakeApi> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const entry = { url: request.url ?? '', headers: request.headers, body: (await readJson(request)) as Asked['body'] };
      const turn = turns[asked.push(entry) - 1] ?? fails(500);
      await turn(response, entry);
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A block of an answer. The input of a call may be text, which then is what the model wrote, sound or not. */
export type ScriptedBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: string; readonly [key: string]: unknown };

export function text(words: string): ScriptedBlock {
  return { type: 'text', text: words };
}

export function toolUse(id: string, name: string, input: unknown): ScriptedBlock {
  return { type: 'tool_use', id, name, input };
}

/** The events of one whole answer, as the API streams them: pieces of a few characters. */
export function eventsOf(blocks: readonly ScriptedBlock[], stopReason: unknown): readonly JsonObject[] {
  const usage = { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 2, cache_read_input_tokens: 3 };
  return [
    { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'fake', content: [], stop_reason: null, usage } },
    { type: 'ping' },
    ...blocks.flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_reason: stopReason as string, stop_sequence: null }, usage: { output_tokens: 20 } },
    { type: 'message_stop' },
  ];
}

function blockEvents(block: ScriptedBlock, index: number): readonly JsonObject[] {
  const deltas = deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta }));
  const start = block.type === 'text' ? { ...block, text: '' } : block.type === 'tool_use' ? { ...block, input: {} } : block;
  return [{ type: 'content_block_start', index, content_block: start as JsonObject }, ...deltas, { type: 'content_block_stop', index }];
}

function deltasOf(block: ScriptedBlock): readonly JsonObject[] {
  if (block.type === 'text') return cut(String(block['text'])).map((piece) => ({ type: 'text_delta', text: piece }));
  if (block.type !== 'tool_use') return [];
  const { input } = block;
  const written = typeof input === 'string' ? input : JSON.stringify(input);
  return cut(written).map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
}

function cut(whole: string): readonly string[] {
  const size = Math.max(7, Math.ceil(whole.length / 50));
  return Array.from({ length: Math.ceil(whole.length / size) }, (_, index) => whole.slice(index * size, (index + 1) * size));
}

export function toSse(event: JsonObject): string {
  return `event: ${JSON.stringify(event['type']).slice(1, -1)}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** A whole answer, streamed. */
export function answers(blocks: readonly ScriptedBlock[], stopReason: unknown = 'end_turn'): Turn {
  return async (response) => sends(eventsOf(blocks, stopReason).map(toSse).join(''))(response);
}

/** These bytes as the stream of an answer; what then becomes of the connection is said by `end`. */
export function sends(stream: string, end: 'end' | 'break' | 'silence' = 'end'): (response: ServerResponse) => Promise<void> {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    await new Promise((resolve) => response.write(stream, resolve));
    if (end === 'end') response.end();
    if (end === 'break') response.destroy();
  };
}

/** An error of the API. */
export function fails(status: number, headers: Readonly<Record<string, string>> = {}, message = 'as scripted'): Turn {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ type: 'error', error: { type: 'scripted_error', message } }));
  };
}
