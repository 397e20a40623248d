import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { withBoxes } from '../../../sandbox/src/__tests__/with-boxes.ts';
import { createProject, type Project } from './devs.ts';
import { openTestClient, unwrapped, writeOperatorFile } from './test-client.ts';

const REPOSITORY = realpathSync(path.resolve(__dirname, '../../../..'));
/** It is made with the SDK, so what it is made of has to be shown, too. */
const SERVER = path.join(REPOSITORY, 'packages/mcp/src/__tests__/fixtures/reading-server.mjs');
const CODE = { mounts: { readOnly: [REPOSITORY] } };
const HELD = { by: 'bubblewrap', guarantees: expect.arrayContaining(['files', 'network', 'processes', 'privilege']) };
const UNHELD = { by: 'none', guarantees: [] };

function configured(project: Project, upstreams: string, sandbox: object = CODE): readonly string[] {
  const config = { sandbox: { upstreams }, mcpServers: { reading: { command: process.execPath, args: [SERVER], sandbox } } };
  return ['--config', writeOperatorFile(project, config)];
}

/** Says hello, calls, and waits for the end. */
async function callOnce(project: Project, args: readonly string[], call: { readonly name: string; readonly path: string; readonly env?: Record<string, string> }) {
  await using testClient = await openTestClient(project, args, call.env);
  const { text, all } = await testClient.call(call.name, { path: call.path });
  return { text: unwrapped(text), isError: all.includes('"isError":true') };
}

/** A `PATH` with all that there is but bubblewrap. */
function withoutBubblewrap({ outside }: Project): { readonly PATH: string } {
  const bin = path.join(outside, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const folder of ['/usr/bin', '/bin']) {
    for (const name of readdirSync(folder)) {
      if (name !== 'bwrap' && !existsSync(path.join(bin, name))) symlinkSync(path.join(folder, name), path.join(bin, name));
    }
  }
  return { PATH: bin };
}

withBoxes('servers behind devs, in boxes', () => {
  it.each(['prefer', 'require'])('%s: a server made with the SDK reads what it was given and nothing else; what holds it is on each record', async (mode) => {
    await using project = await createProject();
    const secret = path.join(project.outside, 'secret.txt');
    const args = ['serve', ...configured(project, mode, { mounts: { readOnly: [REPOSITORY, path.join(project.root, 'hello.txt')] } })];
    await using testClient = await openTestClient(project, args);
    const ask = async (place: string) => unwrapped((await testClient.call('reading__read', { path: place })).text);
    expect(await ask(path.join(project.root, 'hello.txt'))).toBe('hello\n');
    for (const hidden of [secret, path.join(project.state, 'agent_logs.db'), '/etc/shadow']) expect(await ask(hidden)).toBe('ENOENT');
    const log = await project.log();
    expect(log.length).toBeGreaterThanOrEqual(4);
    for (const record of log) expect(record).toMatchObject({ enforcement: HELD });
  });

  it('none: the same server reads all of it, which each record says', async () => {
    await using project = await createProject();
    const secret = path.join(project.outside, 'secret.txt');
    expect(await callOnce(project, ['serve', ...configured(project, 'none', {})], { name: 'reading__read', path: secret })).toMatchObject({ text: 'the secret\n' });
    expect(await project.log()).toMatchObject([{ toolName: 'reading__read', enforcement: UNHELD }]);
  });

  it('one server may have more than the others, and less', async () => {
    await using project = await createProject();
    const secret = path.join(project.outside, 'secret.txt');
    const server = { command: process.execPath, args: [SERVER] };
    const mcpServers = { held: { ...server, sandbox: { ...CODE, mode: 'require' } }, free: server };
    await using testClient = await openTestClient(project, ['serve', '--config', writeOperatorFile(project, { mcpServers })]);
    expect(unwrapped((await testClient.call('held__read', { path: secret })).text)).toBe('ENOENT');
    expect(unwrapped((await testClient.call('free__read', { path: secret })).text)).toBe('the secret\n');
  });

  it('devs run: follows the operator, passes on standard error, and keeps servers apart by their commands', async () => {
    await using project = await createProject();
    // One of the same name with other words has a folder of its own, which is not for this one.
    const file = writeOperatorFile(project, { sandbox: { upstreams: 'require' }, mcpServers: { 'plain-server': { command: 'plain-server' } } });
    // It is found by `PATH`, as one is that was installed.
    const bin = path.join(project.outside, 'installed/bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(path.join(bin, 'plain-server'), `#!/bin/sh\necho "it begins" >&2\nread -r hello\ncat "$1" >&2\necho "$HOME" >&2\n`, { mode: 0o755 });
    const child = project.start(['run', '--config', file, '--', 'plain-server', path.join(project.outside, 'secret.txt')], { PATH: `${bin}:${process.env['PATH'] ?? ''}` });
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } } };
    child.stdin.write(`${JSON.stringify(initialize)}\n`);
    const [said] = await Promise.all([readAll(child.stderr), readAll(child.stdout), once(child, 'close')]);
    expect(said).toMatch(/devs guards plain-server\. Call log/);
    expect(said).toContain('it begins\n');
    expect(said).toContain('No such file or directory');
    expect(said).not.toContain('the secret');
    expect(said).toContain('/var/lib/server\n');
    expect(readdirSync(path.join(project.state, 'servers'))).toEqual([expect.stringMatching(/^plain-server-[0-9a-f]{16}$/)]);
    expect(readdirSync(path.join(project.state, 'servers'))).not.toContain(`plain-server-${createHash('sha256').update('["plain-server"]').digest('hex').slice(0, 16)}`);
  });

  it('are not given up with the boxes of commands', async () => {
    await using project = await createProject();
    const config = writeOperatorFile(project, { sandbox: { tools: 'off', upstreams: 'require' }, mcpServers: { reading: { command: process.execPath, args: [SERVER], sandbox: CODE } } });
    expect(await callOnce(project, ['serve', '--config', config], { name: 'reading__read', path: path.join(project.outside, 'secret.txt') })).toMatchObject({ text: 'ENOENT' });
    expect(await project.log()).toMatchObject([{ enforcement: HELD }]);
  });

  describe('where no box can be had', () => {
    it('prefer: runs without one, and says so on standard error and on the record', async () => {
      await using project = await createProject();
      const env = withoutBubblewrap(project);
      const args = ['call', 'reading__read', JSON.stringify({ path: path.join(project.outside, 'secret.txt') })];
      const { stdout, stderr } = await project.run([...args, ...configured(project, 'prefer')], { env });
      expect(stdout).toContain('the secret');
      expect(stderr).toContain('devs: the server "reading" runs unconfined, with your own permissions: bubblewrap is not installed: there is no bwrap in PATH. To fix it: sudo apt-get install bubblewrap.');
      expect(await project.log()).toMatchObject([{ enforcement: UNHELD }]);
    });

    it('require: is not started, and says what is missing and how to mend it', async () => {
      await using project = await createProject();
      const env = withoutBubblewrap(project);
      const { stdout } = await project.run(['doctor', '--json', ...configured(project, 'require')], { env });
      expect(JSON.parse(stdout)).toMatchObject({ upstreams: [{ name: 'reading', confinement: 'refused', fix: 'sudo apt-get install bubblewrap' }] });
      await using testClient = await openTestClient(project, ['serve', ...configured(project, 'require')], env);
      expect((await testClient.client.listTools()).tools.map(({ name }) => name)).not.toContain('reading__read');
    });
  });

  it('devs doctor ends with 1 for a server that runs in none, beside commands that run in boxes', async () => {
    await using project = await createProject();
    const { code, stdout } = await project.run(['doctor', '--json', ...configured(project, 'none')]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ confined: false, unconfined: ['the server "reading"'], refused: [] });
  });

  it.each([
    ['require', /ended with code \d+ before it was ready\. It ran in a sandbox, .* devs doctor shows what is in it/],
    ['none', /ended with code \d+ before it was ready\.\n/],
  ])('%s: of one that does not start in it, it is told where it ran', async (upstreams, reason) => {
    await using project = await createProject();
    const config = { sandbox: { upstreams }, mcpServers: { short: { command: 'sh', args: ['-c', 'exit 1'] } } };
    const { stdout } = await project.run(['tools', '--config', writeOperatorFile(project, config)]);
    expect(stdout).toMatch(reason);
  });

  it.each<[string, object, readonly string[]]>([
    ['none', {}, ['"one"', '"two"']],
    ['none', { mode: 'prefer' }, ['"two"']],
    ['prefer', { mode: 'none' }, ['"one"']],
    ['require', {}, []],
  ])('%s, and one %j: serve says which run in no box', async (upstreams, sandbox, said) => {
    await using project = await createProject();
    const server = { command: process.execPath, args: [SERVER] };
    const mcpServers = { one: { ...server, sandbox }, two: server, off: { ...server, disabled: true }, far: { url: 'http://127.0.0.1:9/mcp' } };
    const { stderr } = await project.run(['serve', '--config', writeOperatorFile(project, { sandbox: { upstreams }, mcpServers })]);
    const [, names] = /^Servers that run unconfined, with your own permissions: (.*?)\. To run them in sandboxes, or not at all: /m.exec(stderr) ?? [];
    expect(names?.split(', ') ?? []).toEqual(said);
  });

  it.each<[string, (project: Project) => string]>([
    ['state of this root', ({ state }) => state],
    ['states of other roots', ({ root }) => path.join(root, '..', 'states', 'devs')],
    ['keys that logs are signed with', ({ root }) => path.join(root, '..', 'config', 'devs')],
  ])('no box shows the %s, whatever the operator mounts', async (_name, folderOf) => {
    await using project = await createProject();
    const folder = folderOf(project);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const config = configured(project, 'require', { mounts: { readOnly: [REPOSITORY, folder] } });
    const { stdout } = await project.run(['doctor', '--json', ...config], { env: { XDG_STATE_HOME: path.join(project.root, '..', 'states') } });
    expect(JSON.parse(stdout)).toMatchObject({ upstreams: [{ name: 'reading', confinement: 'refused' }] });
  });

  it('doctor says how each server is held, and what its box lacks', async () => {
    await using project = await createProject();
    const server = { command: process.execPath, args: [SERVER] };
    const mcpServers = {
      held: { ...server, sandbox: { ...CODE, loopbackPorts: [5432] } },
      blind: server,
      free: { ...server, sandbox: { mode: 'none' } },
      astray: { command: 'cat', args: ['hello.txt'], sandbox: { mode: 'none' } },
      inside: { ...server, cwd: '.', sandbox: { mode: 'none' } },
      lost: { ...server, sandbox: { mounts: { readOnly: ['/no/such'] } } },
      far: { url: 'https://mcp.example/mcp' },
      off: { ...server, disabled: true },
    };
    const config = writeOperatorFile(project, { sandbox: { upstreams: 'require' }, mcpServers });
    const { stdout, code } = await project.run(['doctor', '--json', '--config', config]);
    expect(JSON.parse(stdout)['upstreams']).toEqual([
      { name: 'held', confinement: 'bubblewrap', detail: `in its own sandbox, which reads ${REPOSITORY}; reaches port 5432` },
      { name: 'blind', confinement: 'bubblewrap', detail: expect.stringContaining(`not in its sandbox: ${SERVER}`), fix: expect.stringContaining(SERVER) },
      { name: 'free', confinement: 'none', detail: expect.stringContaining('runs with your own permissions, in its own folder') },
      { name: 'astray', confinement: 'none', detail: expect.stringContaining('in its own folder'), fix: '"cwd": ".", if "hello.txt" is a path in the project' },
      { name: 'inside', confinement: 'none', detail: expect.stringContaining(`runs with your own permissions, in ${realpathSync(project.root)}: `) },
      { name: 'lost', confinement: 'refused', detail: expect.stringContaining('"/no/such" is not there'), fix: expect.any(String) },
      { name: 'far', confinement: 'elsewhere', detail: expect.any(String) },
      { name: 'off', confinement: 'off', detail: 'is disabled' },
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ confined: false, refused: ['the server "lost"'] });
    expect(code).toBe(1);
    const shown = (await project.run(['doctor', '--config', config])).stdout;
    expect(shown).toMatch(/Upstream servers\n {2}held +bubblewrap +in its own sandbox/);
    expect(shown).toContain('  A server started with devs run would run in a sandbox: "sandbox": {"upstreams": "require"}.');
    expect(shown).toContain('\nWithout a sandbox, with your own permissions (3): the server "free", the server "astray", the server "inside".\n');
  });
});
