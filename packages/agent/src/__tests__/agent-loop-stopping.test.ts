import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { asks, play, use } from './scripted-client.ts';

const read = (id: string) => use(id, 'read', { path: id });

describe('stopping', () => {
  it('ends a run before it begins, and between two calls', async () => {
    const stopped = new AbortController();
    stopped.abort();
    expect((await play({ script: [], signal: stopped.signal })).result).toMatchObject({ status: 'stopped', stopReason: 'aborted', turns: 0 });
    const stop = new AbortController();
    const script = [asks(use('a', 'write', { path: 'a' }), use('b', 'write', { path: 'b' }))];
    const { result, ran, records } = await play({ script, signal: stop.signal, run: () => { stop.abort(); return 'done'; } });
    expect(result).toMatchObject({ status: 'stopped' });
    expect({ ran, records: records.length }).toEqual({ ran: ['write a'], records: 1 });
  });

  it('reaches a tool that is under way', async () => {
    const stop = new AbortController();
    const run = async (_name: string, _path: string, signal: AbortSignal) => {
      stop.abort();
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
      return '';
    };
    expect((await play({ script: [asks(read('a'))], signal: stop.signal, run })).result).toMatchObject({ status: 'stopped' });
  });

  it('a slow listener is told one thing after the other', async () => {
    const told: string[] = [];
    let slow = 30;
    const onEvent = async (event: { type: string; where?: string }) => {
      if (event.type !== 'call') return;
      await wait((slow -= 10));
      told.push(event.where ?? '');
    };
    await play({ script: [asks(read('a'), read('b'), read('c'))], onEvent });
    expect(told).toEqual(['content[0]', 'content[1]', 'content[2]']);
  });

  it('a listener that fails ends the run with what it threw', async () => {
    const gone = new Error('reader gone');
    const onEvent = async ({ type }: { type: string }) => (type === 'call_result' ? Promise.reject(gone) : undefined);
    await expect(play({ script: [asks(read('a'))], onEvent })).rejects.toBe(gone);
  });
});
