import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ProjectLock } from '../project-lock.ts';

const never = new AbortController().signal;
let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'devs-lock-')));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('one at a time in a project', () => {
  it.each([
    ['of one devs', () => { const lock = new ProjectLock(root); return [lock, lock] as const; }],
    ['of two', () => [new ProjectLock(root), new ProjectLock(root)] as const],
  ])('%s', async (_, locks) => {
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const [one, other] = locks();
    const first = one.hold(async () => {
      order.push('first begins');
      await gate.promise;
      order.push('first ends');
    }, never);
    const second = other.hold(async () => void order.push('second'), never);
    setTimeout(() => gate.resolve(), 100);
    await Promise.all([first, second]);
    expect(order).toEqual(['first begins', 'first ends', 'second']);
  });

  it('whoever does not wait any more has not begun, and those behind go on', async () => {
    const lock = new ProjectLock(root);
    const gate = Promise.withResolvers<void>();
    const order: string[] = [];
    const first = lock.hold(async () => gate.promise, never);
    const cancel = new AbortController();
    const second = lock.hold(async () => void order.push('second'), cancel.signal);
    const third = lock.hold(async () => void order.push('third'), never);
    cancel.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    expect(order).toEqual([]);
    gate.resolve();
    await Promise.all([first, third]);
    expect(order).toEqual(['third']);
  });

  it('gives what the work gives, throws what it throws, and is free again', async () => {
    const lock = new ProjectLock(root);
    await expect(lock.hold(async () => Promise.reject(new Error('broken')), never)).rejects.toThrow('broken');
    expect(await lock.hold(async () => Promise.resolve(7), never)).toBe(7);
  });

  it('projects do not wait for each other', async () => {
    const [one, other] = [new ProjectLock(root), new ProjectLock(tmpdir())];
    expect(await one.hold(async () => other.hold(async () => Promise.resolve('both'), never), never)).toBe('both');
  });

  it('is free when its holder was killed', async () => {
    const { dev, ino } = statSync(root, { bigint: true });
    const name = `\\0devs-project-${String(process.geteuid?.() ?? 0)}-${String(dev)}-${String(ino)}`;
    const holder = spawn(process.execPath, ['-e', `require('node:net').createServer().listen('${name}', () => console.log('held'))`]);
    await once(holder.stdout, 'data');
    const lock = new ProjectLock(root);
    await expect(lock.hold(async () => Promise.resolve(), AbortSignal.timeout(100))).rejects.toThrow();
    holder.kill('SIGKILL');
    expect(await lock.hold(async () => Promise.resolve('free'), never)).toBe('free');
  });
});
