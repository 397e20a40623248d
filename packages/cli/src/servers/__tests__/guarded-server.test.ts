import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG, OutputPolicy } from '@devs/core';
import type { ServerInfo } from '@devs/mcp';
import type { Gateway } from '../gateway.ts';
import { GuardedServer } from '../guarded-server.ts';

/** The profile that devs shows for a server with this server info. */
async function profileOf(capabilities: ServerInfo['capabilities'], instructions?: string) {
  const info = { capabilities } as ServerInfo;
  const instances = { require: async () => info, instructions: new Map(instructions === undefined ? [] : [['notes', instructions]]) };
  const gateway = { clients: { of: () => ({ instances }) } } as unknown as Gateway;
  const guarded = new GuardedServer('notes');
  const policy = new OutputPolicy({ sanitize: DEFAULT_CONFIG.sanitize });
  await guarded.open({ era: 'legacy', protocolVersion: '', capabilities: {}, clientInfo: { name: 'c', version: '1' } }, { gateway, policy, key: {}, signal: new AbortController().signal });
  return guarded.profile;
}

describe('the one server of devs run', () => {
  it('says of itself what it says under its name: a model must not take it for a word of devs', async () => {
    expect(await profileOf({}, 'Use find.')).toMatchObject({ introduction: '', said: 'The server "notes" says of itself: Use find.' });
    expect((await profileOf({})).said).toBe('');
    expect((await profileOf({}, 'x'.repeat(30_000))).said?.length).toBe(3_199);
  });

  it('says nothing of itself where something hides in it', async () => {
    expect((await profileOf({}, 'Use\u200b find.')).said).toBe('');
  });

  it('is shown with what it has, and with nothing that only looks like it', async () => {
    const { capabilities } = await profileOf({ resources: { subscribe: 'yes', listChanged: true }, prompts: 'all', logging: {}, experimental: { x: {} } } as unknown as ServerInfo['capabilities']);
    expect(capabilities).toEqual({ resources: { subscribe: false, listChanged: true }, logging: {}, tools: { listChanged: true } });
  });
});
