import { describe, expect, it } from '@jest/globals';
import { findWeakenings, type McpServerConfig } from '../schema.ts';
import { parseOften } from './parse-often.ts';

type Said = McpServerConfig;

/** What is told of a server `a`, and of nothing else. */
function told(after: Said, before: Said | undefined, common: object = {}): string | undefined {
  const configOf = (said: Said | undefined) => parseOften({ ...common, ...(said !== undefined && { mcpServers: { a: { command: 'x', ...said } } }) });
  const found = findWeakenings(configOf(after), configOf(before));
  expect(found.map(({ key }) => key)).toEqual(['mcpServers']);
  return found[0]?.sentence.replace(/^names servers for devs to start or reach: a(; )?/, '');
}

const [LABELS, LIMITS, BOX] = ['labels less of what comes from a', 'allows more calls, or longer ones, of a', 'opens, or takes away, the sandbox of a'];

describe('the weakenings of a server', () => {
  it.each<[string, Said, Said, string]>([
    ['a label that goes', { labels: ['untrusted'] }, { labels: ['untrusted', 'private'] }, LABELS],
    ['the label that is there unsaid', { labels: [] }, {}, LABELS],
    ['labels that are no longer said', {}, { labels: ['untrusted', 'external'] }, LABELS],
    ['more at once', { limits: { atOnce: 3 } }, { limits: { atOnce: 2 } }, LIMITS],
    ['as many as come', {}, { limits: { atOnce: 2 } }, LIMITS],
    ['more in a minute', { limits: { perMinute: 3 } }, { limits: { perMinute: 2 } }, LIMITS],
    ['any number in a minute', { limits: { perMinute: null } }, { limits: { perMinute: 2 } }, LIMITS],
    ['more time', { limits: { toolTimeoutMs: 60_001 } }, {}, LIMITS],
    ['the time of all, which is more', {}, { limits: { toolTimeoutMs: 59_999 } }, LIMITS],
    ['a weaker box', { sandbox: { mode: 'prefer' } }, { sandbox: { mode: 'require' } }, BOX],
    ['no box', {}, { sandbox: { mode: 'prefer' } }, BOX],
    ['a host', { sandbox: { network: { hosts: ['a', 'b'] } } }, { sandbox: { network: { hosts: ['a'] } } }, BOX],
    ['something to read', { sandbox: { mounts: { readOnly: ['/a'] } } }, {}, BOX],
    ['something to write that it could read', { sandbox: { mounts: { readWrite: ['/a'] } } }, { sandbox: { mounts: { readOnly: ['/a'] } } }, BOX],
    ['a port', { sandbox: { loopbackPorts: [1] } }, {}, BOX],
  ])('are told: %s; of the way back the server alone', (_, after, before, sentence) => {
    expect(told(after, before)).toBe(sentence);
    expect(told(before, after)).toBe('');
  });

  it('are told of a label that goes for another', () => {
    expect([told({ labels: ['private'] }, {}), told({}, { labels: ['private'] })]).toEqual([LABELS, LABELS]);
  });

  it('are told of a server that is new: against one of which nothing is said', () => {
    expect(told({}, undefined)).toBe('');
    expect(told({ limits: { atOnce: 1 }, labels: ['untrusted', 'private'], sandbox: { mode: 'require' } }, undefined)).toBe('');
    expect(told({ labels: [], sandbox: { mode: 'prefer', network: { hosts: ['*'] } } }, undefined)).toBe(`${LABELS}; ${BOX}`);
  });

  it('are held against what `sandbox.upstreams` says', () => {
    const strict = { sandbox: { upstreams: 'require' } };
    expect(told({}, undefined, strict)).toBe('');
    expect(told({ sandbox: { mode: 'prefer' } }, undefined, strict)).toBe(BOX);
    expect(told({}, { sandbox: { mode: 'require' } }, strict)).toBe('');
  });

  it.each<[string, Record<string, Said>, string]>([
    ['the namespace of another', { evil: { namespace: 'notes' } }, 'evil; claims the namespace of another server for evil'],
    ['the same in other letters', { evil: { namespace: 'NOTES' } }, 'evil; claims the namespace of another server for evil'],
    ['the name of another in other letters', { Notes: {} }, 'Notes; claims the namespace of another server for Notes'],
    ['a name that is the namespace of another', { sheets: {} }, 'sheets; claims the namespace of another server for sheets'],
    ['a server that is there under the namespace of another', { table: { namespace: 'notes' } }, 'table; claims the namespace of another server for table'],
    ['a namespace that a server of the operator had until then', { table: {}, evil: { namespace: 'sheets' } }, 'table, evil; claims the namespace of another server for evil'],
    ['what clients show as the namespace of another', { my_tools: {} }, 'my_tools; claims the namespace of another server for my_tools'],
    ['a namespace of its own', { other: { namespace: 'mine' } }, 'other'],
    ['no namespace, as many may have', { other: { namespace: '' } }, 'other'],
  ])('are told: %s', (_name, brought, sentence) => {
    const operator = { notes: { command: 'x' }, table: { command: 'x', namespace: 'sheets' }, bare: { command: 'x', namespace: '' }, 'my.tools': { command: 'x' } };
    const project = Object.fromEntries(Object.entries(brought).map(([name, said]) => [name, { command: 'y', ...said }]));
    const found = findWeakenings(parseOften({ mcpServers: { ...operator, ...project } }), parseOften({ mcpServers: operator }));
    expect(found).toEqual([{ key: 'mcpServers', sentence: `names servers for devs to start or reach: ${sentence}` }]);
  });
});
