import { describe, expect, it } from '@jest/globals';
import { mintNamedToken } from '../auth/named-token.ts';
import { Principals } from '../auth/principals.ts';
import { createToken } from '../auth/token.ts';
import { callOf, echoCall, expectAlive, openWire, registerLarge, startHttp, textOf, until, type Served } from './http-wire.ts';

const PEOPLE = Array.from({ length: 8 }, (_, index) => `p${String(index)}`);
const PIPELINED = 6;

interface Crowd extends AsyncDisposable {
  readonly served: Served;
  as(name: string): Served;
}

async function startCrowd(): Promise<Crowd> {
  const minted = new Map(PEOPLE.map((name) => [name, mintNamedToken()]));
  const token = createToken();
  const principals = new Principals({ token });
  principals.update([...minted].map(([name, { id, sha256 }]) => ({ name, scope: {}, id, sha256, createdAt: '2026-07-28T00:00:00.000Z' })));
  const served = { ...(await startHttp({ principals })), authorization: `Bearer ${token}` };
  registerLarge(served);
  return {
    served,
    as: (name) => ({ ...served, authorization: `Bearer ${minted.get(name)?.token ?? ''}` }),
    [Symbol.asyncDispose]: async () => served.running.close(),
  };
}

/** Sends all its requests before it reads the first answer. */
async function pipeline(served: Served, name: string): Promise<readonly unknown[]> {
  using wire = openWire(served);
  for (let id = 0; id < PIPELINED; id += 1) wire.send(echoCall('modern', `${name} ${String(id)}`, `${name}:${String(id)}`));
  const answers: unknown[] = [];
  for (let id = 0; id < PIPELINED; id += 1) {
    const reply = await wire.reply();
    answers.push([reply.message['id'], textOf(reply)]);
  }
  return answers;
}

/** Asks for more than fits, reads the first bytes, and goes away in the midst of the answer. */
async function abort(served: Served): Promise<void> {
  using wire = openWire(served);
  for (let id = 1; id <= 3; id += 1) wire.send(callOf('modern', { name: 'large', args: {}, id }));
  await new Promise((resolve) => wire.socket.once('data', resolve));
  wire.socket.destroy();
}

/** Asks for more than fits, and never reads on. */
function stall(served: Served): ReturnType<typeof openWire> {
  const wire = openWire(served);
  for (let id = 1; id <= 3; id += 1) wire.send(callOf('modern', { name: 'large', args: {}, id }));
  wire.socket.once('data', () => wire.socket.pause());
  return wire;
}

describe('many principals that pipeline, read slowly and go away in the midst of an answer', () => {
  it('each get their own answers, in their order, and nothing is left behind', async () => {
    await using crowd = await startCrowd();
    const { served } = crowd;
    const stalled = PEOPLE.slice(0, 2).map((name) => stall(crowd.as(name)));
    const aborting = PEOPLE.slice(2, 5).map(async (name) => abort(crowd.as(name)));
    const answered = await Promise.all(PEOPLE.map(async (name) => pipeline(crowd.as(name), name)));
    expect(answered).toEqual(PEOPLE.map((name) => Array.from({ length: PIPELINED }, (_, id) => [`${name}:${String(id)}`, `${name} ${String(id)}`])));
    await Promise.all(aborting);
    const echoes = served.records.filter(({ toolName }) => toolName === 'echo');
    for (const name of PEOPLE) expect(echoes.filter(({ principal }) => principal === `token:${name}`)).toHaveLength(PIPELINED);
    for (const wire of stalled) wire.socket.destroy();
    await until(() => served.running.activity().connections === 0 && served.running.activity().requests === 0 && served.server.inFlight === 0);
    await expectAlive(served);
  });
});
