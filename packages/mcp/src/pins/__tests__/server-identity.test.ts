import { describe, expect, it } from '@jest/globals';
import { createServerIdentities, toServerIdentity } from '../server-identity.ts';

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
    ['another package behind a shell’s words', ['--call', 'run', '-p', 'one'], ['--call', 'run', '-p', 'two']],
    ['another of two packages', ['-p', 'one', '-p', 'other', 'run'], ['-p', 'two', '-p', 'other', 'run']],
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
    expect(identify('constructor', 'server').key).toMatch(/^exec:\/usr\/bin\/constructor#/);
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

describe('the identities of a configuration', () => {
  const token = ['sk', 'x'.repeat(30)].join('-');
  const keysOf = (...configs: readonly Parameters<typeof toServerIdentity>[0][]) => {
    const identities = createServerIdentities({ resolve });
    return configs.map((config, index) => identities(config, `server ${String(index)}`).key);
  };
  const remote = (...args: readonly string[]) => ({ command: 'npx', args: ['-y', 'mcp-remote@1', ...args] });

  it.each<[string, readonly Parameters<typeof toServerIdentity>[0][], string]>([
    ['one package with other arguments', [remote('https://one.example'), remote('https://two.example', token)], 'npm:mcp-remote'],
    ['one package with the same arguments', [remote(), remote(), remote()], 'npm:mcp-remote'],
    ['one address with other parameters', [{ url: 'https://x/' }, { url: `https://x/?key=${token}` }], 'url:https://x/'],
  ])('are told apart: %s; the first as if it were alone, none by what may be a secret', (_name, configs, key) => {
    const [first, ...others] = keysOf(...configs);
    expect(first).toBe(key);
    for (const other of others) expect(other.replace(/#[0-9a-f]{32}$/, '#')).toBe(`${key}#`);
    expect(new Set([first, ...others]).size).toBe(configs.length);
  });

  it('do not go by a version, wherever the entry stands', () => {
    const identities = (version: string) => {
      const next = createServerIdentities({ resolve });
      return ['a', 'b'].map((argument) => next({ command: 'npx', args: [`mcp-remote@${version}`, argument] }, argument));
    };
    const [before, after] = [identities('1'), identities('2')];
    expect(after.map(({ key }) => key)).toEqual(before.map(({ key }) => key));
    expect([before, after].map((each) => each.map(({ version }) => version))).toEqual([['1', '1'], ['2', '2']]);
  });

  it('are the same for the same configuration, and do not change with what comes after', () => {
    const [one, two, three] = [remote('a'), remote('b'), remote('c')];
    const all = keysOf(one, two, three);
    expect(keysOf(one, two)).toEqual(all.slice(0, 2));
    expect(keysOf(one, three, two)).toEqual([all[0], all[2], all[1]]);
  });
});
