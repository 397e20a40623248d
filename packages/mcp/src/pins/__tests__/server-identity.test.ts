import { describe, expect, it } from '@jest/globals';
import { toServerIdentity } from '../server-identity.ts';

const resolve = (command: string) => (command.startsWith('/') ? command : `/usr/bin/${command}`);
const identify = (command: string, ...args: readonly string[]) => toServerIdentity({ command, args }, { resolve });

describe('the identity of a server', () => {
  it.each<[string, readonly string[], object]>([
    ['npx', ['-y', '@scope/server@1.2.3', '/data'], { key: 'npm:@scope/server', version: '1.2.3' }],
    ['npx', ['@scope/server'], { key: 'npm:@scope/server' }],
    ['/opt/node/bin/npx', ['--yes', 'server@latest'], { key: 'npm:server', version: 'latest' }],
    ['npx.cmd', ['-y', 'server'], { key: 'npm:server' }],
    ['bunx', ['server@2'], { key: 'npm:server', version: '2' }],
    ['pnpm', ['dlx', 'server@2'], { key: 'npm:server', version: '2' }],
    ['npm', ['exec', '-y', '--', 'server@2', '--port', '1'], { key: 'npm:server', version: '2' }],
    ['uvx', ['mcp-server-git==0.6.2', '--repository', '.'], { key: 'pypi:mcp-server-git', version: '0.6.2' }],
    ['uvx', ['server[extra]@1'], { key: 'pypi:server', version: '1' }],
    ['uv', ['tool', 'run', 'server'], { key: 'pypi:server' }],
    ['pipx', ['run', 'Server'], { key: 'pypi:server' }],
  ])('%s %j is the package without its version', (command, args, expected) => {
    expect(identify(command, ...args)).toEqual(expected);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['another package', ['-y', 'one'], ['-y', 'two']],
    ['another registry', ['-y', 'one'], ['-y', '--registry', 'https://evil.example', 'one']],
    ['another program of the package', ['-p', 'one', 'a'], ['-p', 'one', 'b']],
    ['a package of a repository', ['one/two'], ['one/three']],
    ['a shell’s words', ['-c', 'one'], ['-c', 'two']],
  ])('is not the same for %s', (_name, one, other) => {
    expect(identify('npx', ...one).key).not.toBe(identify('npx', ...other).key);
  });

  it('is the program and its arguments, which it does not show', () => {
    const token = ['sk', 'x'.repeat(30)].join('-');
    const { key } = identify('node', 'server.js', '--token', token);
    expect(key).toMatch(/^exec:\/usr\/bin\/node#[0-9a-f]{32}$/);
    expect(identify('node', 'server.js', '--token', 'other').key).not.toBe(key);
    expect(toServerIdentity({ command: 'node', args: ['server.js', '--token', token], cwd: '/b' }, { resolve }).key).not.toBe(key);
    expect(identify('/usr/bin/node', 'server.js', '--token', token).key).toBe(key);
  });

  it('is origin and path of a URL, without what may be a secret', () => {
    const of = (url: string) => toServerIdentity({ url }, { resolve }).key;
    expect(of('https://user:pass@Host.example/mcp?key=1#a')).toBe(of('https://host.example:443/mcp?key=2'));
    expect(of('https://host.example/mcp')).not.toBe(of('https://host.example/other'));
    expect(of('https://host.example/mcp')).not.toBe(of('http://host.example/mcp'));
    expect(of('https://host.example/')).toBe('url:https://host.example/');
    expect(of('https://user:pass@host.example/token?key=secret')).not.toMatch(/user|pass|token|secret/);
  });
});
