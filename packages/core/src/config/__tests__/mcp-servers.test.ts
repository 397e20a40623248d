import { describe, expect, it } from '@jest/globals';
import { checkConfig, describeProblem } from '../schema.ts';

function check(mcpServers: unknown): string {
  const checked = checkConfig({ mcpServers });
  return checked.ok ? 'accepted' : checked.problems.map(describeProblem).join('; ');
}

const nameRule = 'a server name is 1 to 64 of A-Z a-z 0-9 _ . - without __';

describe('mcpServers', () => {
  it.each<[string, object]>([
    ['a command', { a: { command: 'npx', args: ['-y', 'server'], env: { TOKEN: 'x' }, cwd: '/tmp' } }],
    ['a URL', { a: { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'x' } } }],
    ['every way of speaking', { a: { type: 'sse', url: 'http://x' }, b: { type: 'streamable-http', url: 'http://x' }, c: { type: 'stdio', command: 'x' } }],
    ['keys of other programs', { a: { command: 'x', disabled: true, autoApprove: ['b'], timeout: 60, oauth: { scopes: [] } } }],
    ['names of every kind', { 'a.b-c_D9': { command: 'x' }, toString: { command: 'x' }, ['x'.repeat(64)]: { command: 'x' } }],
  ])('takes %s as people have it, unchanged', (_name, mcpServers) => {
    expect(checkConfig({ mcpServers })).toMatchObject({ ok: true, config: { mcpServers } });
  });

  it.each<[string, unknown, string]>([
    ['neither', { a: {} }, 'mcpServers.a must have a "command" or a "url"'],
    ['both', { a: { command: 'x', url: 'http://x' } }, 'mcpServers.a.command must not stand beside "url"'],
    ['no object', { a: 'npx' }, 'mcpServers.a is "npx", and must be an object'],
    ['a list', [], 'mcpServers is a list, and must be an object'],
    ['a name that an agent could take apart elsewhere', { a__b: { command: 'x' } }, `mcpServers.a__b cannot stand here; ${nameRule}`],
    ['a name with a space', { 'a b': { command: 'x' } }, `mcpServers["a b"] cannot stand here; ${nameRule}`],
    ['an empty name', { '': { command: 'x' } }, `mcpServers[""] cannot stand here; ${nameRule}`],
    ['a long name', { ['x'.repeat(65)]: { command: 'x' } }, `mcpServers.${'x'.repeat(65)} cannot stand here; ${nameRule}`],
    ['an unknown type', { a: { type: 'ftp', url: 'http://x' } }, 'mcpServers.a.type is "ftp", and must be one of "stdio", "http", "sse", "streamable-http"'],
  ])('refuses %s', (_name, servers, problem) => {
    expect(check(servers)).toBe(problem);
  });

  it.each<[string, unknown, string]>([
    ['a command', { a: { command: ['the secret'] } }, 'mcpServers.a.command is (hidden), and must be the name or path of a program'],
    ['arguments', { a: { command: 'x', args: 'the secret' } }, 'mcpServers.a.args is (hidden), and must be a list'],
    ['a variable', { a: { command: 'x', env: { T: 4711 } } }, 'mcpServers.a.env.T is (hidden), and must be a text'],
    ['a header', { a: { url: 'http://x', headers: { T: 4711 } } }, 'mcpServers.a.headers.T is (hidden), and must be a text'],
    ['a URL', { a: { url: 'ftp://user:secret@x' } }, 'mcpServers.a.url is (hidden), and must be a URL that begins with http:// or https://'],
  ])('does not repeat the value of %s', (_name, servers, problem) => {
    expect(check(servers)).toBe(problem);
  });
});
