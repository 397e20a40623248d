import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createProject, untilSaid, type Project } from './devs.ts';
import { clientEnvironment } from './test-client.ts';

let project: Project;
beforeAll(async () => {
  project = await createProject();
});
afterAll(async () => project[Symbol.asyncDispose]());

const MAIN = path.resolve(__dirname, '..', '..', 'dist', 'main.js');

async function connect(served: Project): Promise<Client> {
  const args = [MAIN, 'serve', '--root', served.root];
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: clientEnvironment(served), stderr: 'ignore' }));
  return client;
}

describe('devs serve', () => {
  it('answers hostile files with a clear error, records each, leaks nothing and lives on', async () => {
    await mkdir(path.join(project.root, 'folder'));
    execFileSync('mkfifo', [path.join(project.root, 'fifo')]);
    await symlink(path.join(project.outside, 'secret.txt'), path.join(project.root, 'link-out'));
    await symlink(project.outside, path.join(project.root, 'folder-out'));
    await symlink('/dev/zero', path.join(project.root, 'zero'));
    const paths = [
      'folder',
      'fifo',
      'link-out',
      'folder-out/secret.txt',
      'zero',
      '/dev/zero',
      '/etc/passwd',
      '../outside/secret.txt',
      'folder/../../outside/secret.txt',
      'nul\u0000byte',
      'x'.repeat(5_000),
      '',
    ];
    const client = await connect(project);
    const before = (await project.log()).length;
    for (const hostile of paths) {
      const { isError, content } = await client.callTool({ name: 'read_file', arguments: { path: hostile } });
      expect({ hostile, isError }).toEqual({ hostile, isError: true });
      const said = JSON.stringify(content);
      expect(said).not.toContain('the secret');
      expect(said).not.toMatch(/\bat .*\.js|node_modules/);
      if (!hostile.includes('outside')) expect(said).not.toContain(project.outside);
    }
    const alive = await client.callTool({ name: 'read_file', arguments: { path: 'hello.txt' } });
    expect(alive.content).toEqual([{ type: 'text', text: 'hello\n' }]);
    await client.close();
    const entries = (await project.log()).slice(before);
    expect(entries).toHaveLength(paths.length + 1);
    expect(entries.filter(({ isError }) => isError === true)).toHaveLength(paths.length);
  });

  it('shares its log with a second server', async () => {
    const clients = await Promise.all([connect(project), connect(project)]);
    const before = (await project.log()).length;
    const calls = Array.from({ length: 40 }, async (_, index) =>
      clients[index % 2]?.callTool({ name: 'read_file', arguments: { path: 'hello.txt' } }),
    );
    const results = await Promise.all(calls);
    expect(results.every((result) => result?.isError !== true)).toBe(true);
    await Promise.all(clients.map(async (client) => client.close()));
    expect((await project.log()).length - before).toBe(40);
  });

  it('refuses calls and does nothing while its log is gone', async () => {
    await using other = await createProject();
    const client = await connect(other);
    const write = async (file: string) =>
      client.callTool({ name: 'write_file', arguments: { path: file, content: 'x' } });
    expect((await write('before.txt')).isError).not.toBe(true);
    await rename(other.state, `${other.state}-away`);
    expect(await write('meanwhile.txt')).toMatchObject({
      isError: true,
      _meta: { 'devs/refusal': { code: 'AUDIT_UNAVAILABLE' } },
    });
    expect(await readdir(other.root)).not.toContain('meanwhile.txt');
    await rename(`${other.state}-away`, other.state);
    expect((await write('after.txt')).isError).not.toBe(true);
    await client.close();
  });

  it('ends with 0 when the client goes away in the middle of a call', async () => {
    const child = project.start(['serve']);
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_directory', arguments: { path: '.' } } };
    child.stdin.end(`${JSON.stringify(call)}\n`);
    child.stdout.resume();
    const [code]: unknown[] = await once(child, 'exit');
    expect(code).toBe(0);
    expect((await project.log()).at(-1)).toMatchObject({ toolName: 'list_directory' });
  });
});

describe('a client that does not read', () => {
  it('its standard error does not stop the server, whatever is to be said there', async () => {
    const esc = path.join(project.root, 'colour.txt');
    await writeFile(esc, 'x\u001b[0m');
    const child = project.start(['serve']);
    const calls = 4_000;
    let answered = 0;
    const done = new Promise<void>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        answered += chunk.split('\n').length - 1;
        if (answered === calls) resolve();
      });
    });
    for (let id = 1; id <= calls; id += 1) {
      const params = { name: 'read_file', arguments: { path: 'colour.txt' } };
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
    }
    await done;
    child.stdin.end();
    child.stderr.resume();
    const [code]: unknown[] = await once(child, 'exit');
    expect(code).toBe(0);
  });
});

describe('devs serve --http', () => {
  it('serves, tells how to connect without telling the token, and stops when asked to', async () => {
    // By a name that stands for two addresses: another account could hold the other one and be sent the token.
    const child = project.start(['serve', '--http', 'localhost:0', '--operator', 'localhost:0']);
    const [said, url = ''] = await untilSaid(child, /at (http:\/\/127\.0\.0\.1:\d+\/mcp)[\s\S]*Ctrl-C/);
    const tokenFile = path.join(project.state, 'token');
    const token = (await readFile(tokenFile, 'utf8')).trim();
    expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
    expect((await stat(project.state)).mode & 0o777).toBe(0o700);
    expect(said).toContain('${DEVS_TOKEN}');
    expect(said).not.toContain(token);
    expect(said).not.toContain('localhost');
    const headers = { authorization: `Bearer ${token}` };
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    const { content } = await client.callTool({ name: 'read_file', arguments: { path: 'hello.txt' } });
    expect(content).toEqual([{ type: 'text', text: 'hello\n' }]);
    await client.close();
    const entry = (await project.log()).at(-1);
    expect(entry).toMatchObject({ channel: 'http', principal: 'token', agentId: 'test#1', turnIndex: 0, agentSource: 'clientInfo' });
    expect((await project.run(['logs', 'show', String(entry?.['id'])])).stdout).toContain('"agentSource": "clientInfo"');
    child.kill('SIGTERM');
    const [code]: unknown[] = await once(child, 'exit');
    expect(code).toBe(0);
  });

  it('ends in order when its terminal closes, of which more than one signal tells', async () => {
    const child = project.start(['serve', '--http', '0']);
    await untilSaid(child, /127\.0\.0\.1:(\d+)\/mcp/);
    for (let times = 0; times < 3; times += 1) child.kill('SIGHUP');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('ends with 69 when the port is taken, and names another', async () => {
    const child = project.start(['serve', '--http', '0']);
    const [, port = ''] = await untilSaid(child, /127\.0\.0\.1:(\d+)\/mcp/);
    const second = await project.run(['serve', '--http', port]);
    expect(second.code).toBe(69);
    expect(second.stderr).toMatch(/in use.*--http/);
    child.kill('SIGINT');
    await once(child, 'exit');
  });

  it.each([
    ['open to others', 'a'.repeat(43), 0o644],
    ['too short to be one', 'guessme', 0o600],
    ['empty', '', 0o600],
  ])('refuses to start with a token file that is %s', async (_name, content, mode) => {
    await using other = await createProject();
    await other.run(['tools']);
    await writeFile(path.join(other.state, 'token'), content, { mode });
    const { code, stderr } = await other.run(['serve', '--http', '0']);
    expect(code).toBe(78);
    expect(stderr).toMatch(/The file ".*token" .*delete it to get a new one/);
  });
});
