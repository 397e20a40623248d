import type { ServerResponse } from 'node:http';
import { isRecord } from '@devs/core';
import { METHOD_NOT_FOUND } from '@modelcontextprotocol/server';
import { ResponseWriter, sendWhole, type ResponseWriterOptions } from './response-writer.ts';

export interface AnswerOptions extends ResponseWriterOptions {
  /** Awaited before anything is told: with the body where it is at hand, `undefined` where it comes in pieces. */
  readonly beforeBody: (body: Buffer | undefined) => Promise<void>;
}

/** The SDK's word for an exchange whose client has gone: nobody is there to be answered. */
const CLIENT_GONE = 499;
/** The id in it may have any length; then the status tells less than the body. */
const LONGEST_ERROR_BYTES = 4_096;

/** Writes the SDK's answer. Resolves when it is with the system, or the client is gone. */
export async function sendAnswer(answer: Response, response: ServerResponse, options: AnswerOptions): Promise<void> {
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isStream) return sendStream(answer, response, options);
  const body = Buffer.from(await answer.arrayBuffer());
  await options.beforeBody(body);
  if (answer.status === CLIENT_GONE) response.destroy();
  await sendWhole(response, { status: toStatus(answer.status, body), headers: Object.fromEntries(answer.headers), body }, options);
}

/** MCP 2026-07-28 wants 404 with -32601; the SDK says so only of methods for which there is no fallback. */
function toStatus(status: number, body: Buffer): number {
  if (status !== 200 || body.length > LONGEST_ERROR_BYTES) return status;
  const message: unknown = JSON.parse(body.toString());
  return isRecord(message) && isRecord(message['error']) && message['error']['code'] === METHOD_NOT_FOUND ? 404 : status;
}

async function sendStream(answer: Response, response: ServerResponse, options: AnswerOptions): Promise<void> {
  if (!response.destroyed) response.writeHead(answer.status, Object.fromEntries(answer.headers)).flushHeaders();
  const writer = new ResponseWriter(response, options);
  // Taken as it comes: what waits in the SDK's own queue would be counted by nobody.
  const pieces: AsyncIterable<Uint8Array> | null = answer.body;
  for await (const piece of pieces ?? []) {
    await options.beforeBody(undefined);
    writer.write(piece);
  }
  await options.beforeBody(undefined);
  writer.end();
  await writer.closed;
}
