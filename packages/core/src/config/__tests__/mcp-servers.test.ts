import { validateHeaderName, validateHeaderValue } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createConfigCheck, describeProblem } from '../schema.ts';

const checkConfig = createConfigCheck();

function check(mcpServers: unknown): string {
  const checked = checkConfig({ mcpServers });
  return checked.ok ? 'accepted' : checked.problems.map(describeProblem).join('; ');
}

function isSendable(header: string, value: string): boolean {
  try {
    validateHeaderName(header);
    validateHeaderValue(header, value);
    return true;
  } catch {
    return false;
  }
}

const nameRule = 'a server name is 1 to 64 of A-Z a-z 0-9 _ . - without __';

describe('mcpServers', () => {
  it.each<[string, object]>([
    ['a command', { a: { command: 'npx', args: ['-y', 'server'], env: { TOKEN: 'x' }, cwd: '/tmp' } }],
    ['a URL', { a: { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'x' } } }],
    ['every way of speaking', { a: { type: 'sse', url: 'http://x' }, b: { type: 'streamable-http', url: 'http://x' }, c: { type: 'stdio', command: 'x' } }],
    ['keys of other programs', { a: { command: 'x', disabled: true, autoApprove: ['b'], timeout: 60, oauth: { scopes: [] } } }],
    ['what Cline has', { a: { command: 'x', disabled: false, autoApprove: ['b'], alwaysAllow: ['b'], timeout: 60, transportType: 'stdio' } }],
    ['what Windsurf and Cursor have', { a: { command: 'x', disabled: true, disabledTools: ['b'], envFile: '.env' }, b: { serverUrl: 'http://x', url: 'http://x' } }],
    ['what Claude Code has', { a: { type: 'http', url: 'https://x', headersHelper: '/bin/x', oauth: { clientId: 'c', callbackPort: 8080 } } }],
    ['what VS Code has', { a: { type: 'stdio', command: 'x', envFile: '.env', dev: { watch: '**', debug: { type: 'node' } }, gallery: true } }],
    ['what Codex has', { a: { command: 'x', enabled: true, startup_timeout_sec: 20, tool_timeout_sec: 60, enabled_tools: ['b'], env_vars: ['C'] } }],
    ['what Gemini has', { a: { command: 'x', trust: true, includeTools: ['b'], excludeTools: ['c'], timeout: 600_000 } }],
    [
      'what devs alone knows',
      {
        a: {
          command: 'x',
          namespace: 'files',
          labels: ['untrusted', 'private', 'external'],
          limits: { atOnce: 2, perMinute: 60, toolTimeoutMs: 5_000 },
          sandbox: {
            mode: 'require',
            network: { hosts: ['a.example', '*.b.example'] },
            mounts: { readOnly: ['/data'], readWrite: ['/tmp/a'] },
            loopbackPorts: [5_432],
          },
        },
        b: { url: 'http://x', namespace: '', labels: [], limits: { perMinute: null } },
      },
    ],
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
    ['a word for true', { a: { command: 'x', disabled: 'true' } }, 'mcpServers.a.disabled is "true", and must be true or false'],
    ['a namespace that parts a name elsewhere', { a: { command: 'x', namespace: 'a__b' } }, 'mcpServers.a.namespace is "a__b", and must be empty, or 1 to 64 of A-Z a-z 0-9 _ . - without __'],
    ['a namespace with a slash', { a: { command: 'x', namespace: 'a/b' } }, 'mcpServers.a.namespace is "a/b", and must be empty, or 1 to 64 of A-Z a-z 0-9 _ . - without __'],
    ['a long namespace', { a: { command: 'x', namespace: 'x'.repeat(65) } }, `mcpServers.a.namespace is "${'x'.repeat(65)}", and must be empty, or 1 to 64 of A-Z a-z 0-9 _ . - without __`],
    ['a label of its own', { a: { command: 'x', labels: ['trusted'] } }, 'mcpServers.a.labels.0 is "trusted", and must be one of "untrusted", "private", "external"'],
    ['one label', { a: { command: 'x', labels: 'private' } }, 'mcpServers.a.labels is "private", and must be a list of at most 3'],
    ['a misspelt limit', { a: { command: 'x', limits: { atonce: 1 } } }, 'mcpServers.a.limits.atonce is an unknown key; did you mean "atOnce"; the known ones are atOnce, perMinute, toolTimeoutMs'],
    ['no calls at all', { a: { command: 'x', limits: { atOnce: 0 } } }, 'mcpServers.a.limits.atOnce is 0, and must be a whole number from 1 to 10000'],
    ['a misspelt box', { a: { command: 'x', sandbox: { mod: 'require' } } }, 'mcpServers.a.sandbox.mod is an unknown key; did you mean "mode"; the known ones are mode, network, mounts, loopbackPorts'],
    ['a box of another program', { a: { command: 'x', sandbox: { filesystem: {} } } }, 'mcpServers.a.sandbox.filesystem is an unknown key; the known ones are mode, network, mounts, loopbackPorts'],
    ['a mode of no box', { a: { command: 'x', sandbox: { mode: 'off' } } }, 'mcpServers.a.sandbox.mode is "off", and must be one of "none", "prefer", "require"'],
    ['a mount from somewhere', { a: { command: 'x', sandbox: { mounts: { readOnly: ['data'] } } } }, 'mcpServers.a.sandbox.mounts.readOnly.0 is "data", and must be an absolute path'],
    ['a host that is a URL', { a: { command: 'x', sandbox: { network: { hosts: ['http://x'] } } } }, 'mcpServers.a.sandbox.network.hosts.0 is "http://x", and must be a host such as example.com, *.example.com or *'],
    ['a port of none', { a: { command: 'x', sandbox: { loopbackPorts: [0] } } }, 'mcpServers.a.sandbox.loopbackPorts.0 is 0, and must be a whole number from 1 to 65535'],
    ['a box for what devs does not start', { a: { url: 'http://x', sandbox: { mode: 'require' } } }, 'mcpServers.a.sandbox must not stand beside "url"'],
    ['an unknown type', { a: { type: 'ftp', url: 'http://x' } }, 'mcpServers.a.type is "ftp", and must be one of "stdio", "http", "sse", "streamable-http", "streamableHttp"'],
  ])('refuses %s', (_name, servers, problem) => {
    expect(check(servers)).toBe(problem);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a key in other letters', { Sandbox: { mode: 'require' } }, 'Sandbox is an unknown key; did you mean "sandbox"; keys of other programs may stand here, but none so near to one of devs'],
    ['a key with a slip', { sandbx: { mode: 'require' } }, 'sandbx is an unknown key; did you mean "sandbox"; keys of other programs may stand here, but none so near to one of devs'],
    ['what does not leave a server out', { Disabled: true }, 'Disabled is an unknown key; did you mean "disabled"; keys of other programs may stand here, but none so near to one of devs'],
    ['one label for labels', { label: ['private'] }, 'label is an unknown key; did you mean "labels"; keys of other programs may stand here, but none so near to one of devs'],
    ['one limit for limits', { limit: { atOnce: 1 } }, 'limit is an unknown key; did you mean "limits"; keys of other programs may stand here, but none so near to one of devs'],
    ['a key of all clients in other letters', { Env: { A: 'b' } }, 'Env is an unknown key; did you mean "env"; keys of other programs may stand here, but none so near to one of devs'],
    ['what other programs call disabled', { enabled: false }, 'enabled is not read by devs unless it is true; to leave the server out, write "disabled": true'],
    ['the same as a word', { Enabled: 'false' }, 'Enabled is not read by devs unless it is true; to leave the server out, write "disabled": true'],
  ])('refuses %s: the server would run as if it were not there', (_name, more, problem) => {
    expect(check({ a: { command: 'x', ...more } })).toBe(`mcpServers.a.${problem}`);
  });

  it.each(['built-in', 'Built-In', 'BUILT-IN'])('refuses the name %s, by which tokens reach devs’s own tools', (name) => {
    expect(check({ [name]: { command: 'x' } })).toBe(`mcpServers.${name} cannot be the name of a server: "built-in" are devs’s own tools, where tokens name what they reach`);
  });

  it('refuses a name of digits, which would stand first whoever wrote it', () => {
    expect(Object.keys({ notes: 0, 7: 0 })).toEqual(['7', 'notes']);
    expect(check({ 7: { command: 'x' } })).toBe('mcpServers.7 cannot be the name of a server: one of digits alone would stand before those of other files; put a letter into it');
  });

  const nul = 'the secret\u0000';
  it.each<[string, Record<string, unknown>, string]>([
    ['the command', { command: nul }, ' must not have a NUL character in "command"'],
    ['the folder', { command: 'x', cwd: nul }, ' must not have a NUL character in "cwd"'],
    ['the arguments', { command: 'x', args: ['a', nul] }, '.args must not have a NUL character in text 2'],
    ['a variable', { command: 'x', env: { T: nul } }, '.env must not have a NUL character in "T"'],
    ['the URL', { url: `http://x/${nul}` }, ' must not have a NUL character in "url"'],
    ['a header', { url: 'http://x', headers: { T: nul } }, '.headers must not have a line break, a control character or one beyond Latin-1 in "T": HTTP cannot carry it'],
  ])('refuses a NUL in %s, and does not repeat it', (_name, entry, problem) => {
    expect(check({ a: entry })).toBe(`mcpServers.a${problem}`);
  });

  it.each(['', 'T=the secret', nul])('refuses the name %j of a variable, and does not repeat it', (variable) => {
    expect(check({ a: { command: 'x', env: { [variable]: 'x' } } })).toBe(
      'mcpServers.a.env must not have a name that is empty, or that holds = or a NUL character: no variable can be called so',
    );
  });

  it.each(['', 'Authorization:', 'the secret', 'T\n', nul, 'Schlüssel'])('refuses the name %j of a header, and does not repeat it', (header) => {
    expect(check({ a: { url: 'http://x', headers: { [header]: 'x' } } })).toBe(
      'mcpServers.a.headers must not have a name that no HTTP header can have: it is of letters, digits and -, without colon or space',
    );
  });

  it.each(['Host', 'connection', 'Content-Length', 'Transfer-Encoding', 'upgrade', 'EXPECT'])('refuses the header %s', (header) => {
    expect(check({ a: { url: 'http://x', headers: { [header]: 'x' } } })).toBe(`mcpServers.a.headers must not have "${header}": devs sets it by itself`);
  });

  it.each(['the secret\r\nX: y', 'the secret\n', 'the secret\u007f', 'the secret €'])('refuses the value %j of a header, and does not repeat it', (value) => {
    expect(check({ a: { url: 'http://x', headers: { 'X-Key': value } } })).toBe(
      'mcpServers.a.headers must not have a line break, a control character or one beyond Latin-1 in "X-Key": HTTP cannot carry it',
    );
  });

  it('refuses of headers just what Node would', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3 }), fc.string({ unit: 'binary', maxLength: 3 }), (header, value) => {
        expect(check({ a: { url: 'http://x', headers: { [header]: value } } }) === 'accepted').toBe(isSendable(header, value));
      }),
    );
  });

  it.each<[string, string]>([
    ['http://exa mple/', 'must have a "url" that is one: there is no such host or port'],
    ['http://x:99999/', 'must have a "url" that is one: there is no such host or port'],
    ['http://exa\nmple/', 'must not have control characters in "url"'],
  ])('refuses the URL %j, and does not repeat it', (url, problem) => {
    expect(check({ a: { url } })).toBe(`mcpServers.a ${problem}`);
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
