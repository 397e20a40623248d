import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DEFAULT_CONFIG, OutputPolicy, silentLogger, ToolRegistry, type RegisteredTool } from '@devs/core';
import type { ClientInfo, PinStore } from '@devs/mcp';
import { findCommand, openGateway, openSession, type Gateway } from '../gateway.ts';

const INFO: ClientInfo = { era: 'modern', protocolVersion: '2026-07-28', capabilities: {}, clientInfo: { name: 'c', version: '1' } };

/** In front of no server: what is looked at is when clients end. */
function open(): Gateway {
  const none = { servers: {}, environment: {}, registry: new ToolRegistry(), pins: {} as PinStore, policy: new OutputPolicy({ sanitize: DEFAULT_CONFIG.sanitize }) };
  return openGateway({ ...none, logger: silentLogger, root: '/', maxMessageBytes: 1_000, idleMs: 90_000 });
}

describe('a gateway', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('ends the servers of a client that has asked for nothing for long, by itself', async () => {
    await using gateway = open();
    const key = {};
    const client = gateway.clients.of(key, INFO);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(gateway.clients.of(key, INFO)).toBe(client);
    await jest.advanceTimersByTimeAsync(180_000);
    expect(gateway.clients.of(key, INFO)).not.toBe(client);
  });

  it('that is closed has ended its clients, and looks after nobody any more', async () => {
    const gateway = open();
    const key = {};
    gateway.clients.of(key, INFO);
    await gateway[Symbol.asyncDispose]();
    // The client of before is gone, and there is none to be had in its place.
    expect(() => gateway.clients.of(key, INFO)).toThrow(expect.objectContaining({ code: 'SERVER_STOPPING' }));
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a call of devs’s own', () => {
  const tool = { definition: { name: 'a__notes' } } as RegisteredTool;

  it.each([true, false])('reaches the tools of servers that are there for it, and no others: %s', async (isThere) => {
    const instances = { knows: (asked: RegisteredTool) => isThere && asked === tool, ready: async () => undefined };
    const session = await openSession({ gateway: { open: () => ({ instances }) } as unknown as Gateway }, new AbortController().signal);
    expect(session.session).toBe(instances);
    expect(session.admits?.(tool)).toBe(isThere);
  });

  it('needs no session where no server is behind devs', async () => {
    expect(await openSession({ gateway: undefined }, new AbortController().signal)).toEqual({});
  });
});

describe('the program that a command names', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'devs-command-'));
    for (const [name, mode] of [['notes', 0o644], ['bin', 0o755]] as const) {
      await mkdir(path.join(folder, name));
      await writeFile(path.join(folder, name, 'server'), '', { mode });
    }
  });
  afterEach(async () => rm(folder, { recursive: true, force: true }));

  it.each<[string, string, string, string]>([
    ['the first that can be executed', 'server', '/no/such:notes:bin', 'bin/server'],
    ['a path, from the folder that it runs in', './bin/server', '/bin', 'bin/server'],
    ['a path that is none of a program', 'notes/server', 'bin', 'notes/server'],
  ])('is %s', (_name, command, searchPath, expected) => {
    expect(findCommand(command, searchPath, folder)).toBe(path.join(folder, expected));
  });

  it('is the command itself where there is none', () => {
    expect(findCommand('server', 'notes:/no/such', folder)).toBe('server');
  });
});
