import { describe, expect, it } from '@jest/globals';
import { tool, type FakeServer } from '../../upstream/__tests__/fake-upstream.ts';
import { openRelay } from './relay-scene.ts';

const server: FakeServer = {
  tools: [tool('work')],
  resources: [{ uri: 'test://note', name: 'note' }],
  prompts: [{ name: 'greet' }],
  answer: () => ({ kind: 'complete', result: { content: [], contents: [], messages: [] } }),
};

describe('who asks a server something beside its tools', () => {
  const READ = ['resources/read', { uri: 'test://note' }] as const;
  const info = (name: string) => ({ 'io.modelcontextprotocol/clientInfo': { name, version: '1' } });

  it('is in the log by its own name, each request one turn, and by the name that it claims', async () => {
    await using relay = openRelay({ a: server });
    await relay.askModern(...READ, info('codex'));
    await relay.askModern('tools/call', { name: 'a__work', arguments: {} }, info('codex'));
    await relay.askModern('resources/list', {}, info('codex'));
    await relay.askModern('prompts/get', { name: 'a__greet' }, info('codex'));
    await relay.askModern(...READ, { ...info('codex'), 'devs/context': { agentId: 'planner' } });
    expect(relay.records.map(({ agentId, turnIndex, agentSource }) => [agentId, turnIndex, agentSource])).toEqual([
      ['codex#1', 0, 'clientInfo'],
      ['codex#1', 1, 'clientInfo'],
      ['codex#1', 2, 'clientInfo'],
      ['planner', 3, 'claimed'],
    ]);
  });
});
