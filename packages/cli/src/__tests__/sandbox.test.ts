import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { withBoxes } from '../../../sandbox/src/__tests__/with-boxes.ts';
import { createProject, untilSaid, type Project } from './devs.ts';
import { typeAt } from './devs-terminal.ts';
import { openTestClient, writeOperatorFile } from './test-client.ts';

const OFF = { sandbox: { tools: 'off' } };

function call(tool: string, args: object): readonly string[] {
  return ['call', tool, JSON.stringify(args)];
}

/** A `PATH` with all that there is but bubblewrap. */
function pathWithoutBubblewrap({ outside }: Project): string {
  const bin = path.join(outside, 'bin');
  mkdirSync(bin);
  for (const folder of ['/usr/bin', '/bin']) {
    for (const name of readdirSync(folder)) {
      if (name !== 'bwrap' && !existsSync(path.join(bin, name))) symlinkSync(path.join(folder, name), path.join(bin, name));
    }
  }
  return bin;
}

withBoxes('where tools run', () => {
  it('a command runs in a box; what held it is on its record and in the answer', async () => {
    await using project = await createProject();
    await using testClient = await openTestClient(project, ['serve']);
    const answer = await testClient.call('shell_exec', { argv: ['sh', '-c', 'cat hello.txt; ls ../outside; exit 2'] });
    expect(answer.texts).toEqual(['hello\n', expect.stringContaining('standard error'), expect.stringContaining('No such file'), expect.stringContaining('exit code 2')]);
    const held = { by: 'bubblewrap', guarantees: expect.arrayContaining(['files', 'network', 'processes', 'privilege']) };
    expect(JSON.parse(answer.all)).toMatchObject({ isError: true, _meta: { 'devs/enforcement': held } });
    await testClient.call('read_file', { path: 'hello.txt' });
    expect(await project.log()).toMatchObject([
      { toolName: 'shell_exec', status: 'error', enforcement: held },
      { toolName: 'read_file', status: 'ok', enforcement: { by: 'capabilities', guarantees: [] } },
    ]);
  });

  it('code reads ten files and sums them in one call: ten records under one', async () => {
    await using project = await createProject();
    for (let number = 1; number <= 10; number += 1) writeFileSync(path.join(project.root, `n${String(number)}.txt`), `${String(number)}\n`);
    const code = 'const names = Array.from({ length: 10 }, (_, i) => `n${i + 1}.txt`);\nconst texts = await Promise.all(names.map((path) => tools.read_file({ path })));\nreturn texts.reduce((sum, text) => sum + Number(text), 0);';
    const { code: exit, stdout } = await project.run(call('run_code', { language: 'javascript', code }));
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: '55\n' });
    const records = await project.log();
    const parent = records.find(({ toolName }) => toolName === 'run_code');
    const children = records.filter(({ parentCallId }) => parentCallId === parent?.['id']);
    expect(children.map(({ toolName, status }) => [toolName, status])).toEqual(Array.from({ length: 10 }, () => ['read_file', 'ok']));
    const paths = Array.from({ length: 10 }, (_, index) => `n${String(index + 1)}.txt`);
    expect(new Set(children.map(({ input }) => String(Object(input).path)))).toEqual(new Set(paths));
    expect(parent).toMatchObject({ parentCallId: null, status: 'ok', enforcement: { by: 'bubblewrap' } });
    expect(records).toHaveLength(11);
  });

  it('what code has read of an untrusted tool it answers in a boundary, and `__sanitize__` asks for one', async () => {
    await using project = await createProject();
    const run = async (code: string) => (await project.run(call('run_code', { language: 'javascript', code }))).stdout;
    expect(await run('return 1')).toBe('1\n');
    expect(await run('__sanitize__ = True; return 1')).toMatch(/^<external-content-\w{12} source="run_code">\n1\n/);
    expect(await run('__sanitize__ = False; return 1')).toBe('1\n');
    expect(await run('await tools.web_fetch({ url: "https://docs.example/" }).catch(() => 0); __sanitize__ = False; return 1')).toMatch(/^<external-content-/);
  });

  it('code is told of the tools that it may call, in the list of tools', async () => {
    await using project = await createProject();
    await using testClient = await openTestClient(project, ['serve']);
    const { tools } = await testClient.client.listTools();
    const description = tools.find(({ name }) => name === 'run_code')?.description ?? '';
    expect(description).toMatch(/read_file\(/);
    expect(description).not.toMatch(/run_code\(/);
    expect(description.length).toBeLessThan(6_000);
  });

  it('devs doctor tells what is enforced, and what of the tools is off', async () => {
    await using project = await createProject();
    const { code, stdout } = await project.run(['doctor', '--json']);
    expect(code).toBe(0);
    const report: unknown = JSON.parse(stdout);
    expect(report).toMatchObject({ confined: true, unconfined: [], refused: [], sandbox: { mode: 'require', name: 'bubblewrap', usable: true } });
    expect(report).toMatchObject({ tools: expect.arrayContaining([{ name: 'shell_exec', state: 'confined', detail: expect.any(String) }, { name: 'web_fetch', state: 'off', detail: expect.any(String) }]) });
    const told = await project.run(['doctor']);
    for (const word of ['files', 'network', 'processes', 'memory', 'privilege', 'shell_exec', 'State folder']) expect(told.stdout).toContain(word);
  });
});

describe('the configuration of boxes', () => {
  it.each([
    ['a name of this machine', { network: { hosts: ['localhost'] } }, 'localhost'],
    ['an address that is nobody’s on the public network', { tools: { shell_exec: { network: { hosts: ['10.0.0.1'] } } } }, '10.0.0.1'],
  ])('names a host that could never be reached, and begins no log: %s', async (_, config, host) => {
    await using project = await createProject();
    const { code, stderr } = await project.run([...call('read_file', { path: 'hello.txt' }), '--config', writeOperatorFile(project, config)]);
    expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringContaining(`The host "${host}" in "network.hosts" could never be reached`) });
    expect(existsSync(path.join(project.state, 'agent_logs.db'))).toBe(false);
  });
});

withBoxes('what is made readable', () => {
  it('shows everything but what is devs’s own', async () => {
    await using project = await createProject();
    const place = path.dirname(project.root);
    const config = ['--config', writeOperatorFile(project, { sandbox: { readable: [place] } })];
    await project.run(call('read_file', { path: 'hello.txt' }));
    const { stdout } = await project.run([...call('shell_exec', { argv: ['sh', '-c', 'cat ../outside/secret.txt; ls -A ../state ../config/devs; find .. -name "*.db" -o -name "*key*"'] }), ...config]);
    expect(stdout).toMatch(/^the secret\n/);
    expect(stdout).not.toMatch(/agent_logs|key/);
  });
});

describe('without bubblewrap', () => {
  it('commands, commits and code are refused and explained, and the file tools work', async () => {
    await using project = await createProject();
    const env = { PATH: pathWithoutBubblewrap(project) };
    for (const [tool, args] of [
      ['shell_exec', { argv: ['touch', 'made'] }],
      ['git_commit', { message: 'x' }],
      ['run_code', { language: 'javascript', code: 'return 1' }],
    ] as const) {
      const { code, stdout, stderr } = await project.run(call(tool, args), { env });
      expect({ tool, code, said: stdout + stderr }).toEqual({ tool, code: 2, said: expect.stringMatching(/cannot be confined on this machine, so nothing was run\. Not enforced: files, network, processes, privilege \(.*apt-get install bubblewrap/s) });
    }
    expect(existsSync(path.join(project.root, 'made'))).toBe(false);
    expect(await project.run(call('read_file', { path: 'hello.txt' }), { env })).toMatchObject({ code: 0, stdout: 'hello\n' });
    expect((await project.log()).map(({ toolName, code, enforcement }) => ({ toolName, code, by: Object(enforcement).by }))).toMatchObject([
      { toolName: 'shell_exec', code: 'SANDBOX_UNAVAILABLE' },
      { toolName: 'git_commit', code: 'SANDBOX_UNAVAILABLE' },
      { toolName: 'run_code', code: 'SANDBOX_UNAVAILABLE' },
      { toolName: 'read_file', code: null, by: 'capabilities' },
    ]);
    expect((await project.log())[0]?.['enforcement']).toBeUndefined();
  });

  it('devs doctor ends with 1, and names the command that mends it; devs serve says it at its start', async () => {
    await using project = await createProject();
    const env = { PATH: pathWithoutBubblewrap(project) };
    const { code, stdout } = await project.run(['doctor'], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/files +absent .*\n +fix +sudo apt-get install bubblewrap\n/) });
    expect(stdout).toMatch(/shell_exec +refused/);
    const server = project.start(['serve'], env);
    await untilSaid(server, /Commands and code are refused: .* To fix it: sudo apt-get install bubblewrap\. More: devs doctor\n/);
    server.stdin.end();
  });
});

describe('sandbox.tools: off', () => {
  it('counts in a file of the operator: said at the start, by doctor, and on every record', async () => {
    await using project = await createProject();
    const config = ['--config', writeOperatorFile(project, OFF)];
    const { code, stdout } = await project.run([...call('shell_exec', { argv: ['sh', '-c', 'cat ../outside/secret.txt'] }), ...config]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'the secret\n' });
    expect(await project.log()).toMatchObject([{ toolName: 'shell_exec', enforcement: { by: 'none', guarantees: [] } }]);
    expect(await project.run(['doctor', ...config])).toMatchObject({ code: 1, stdout: expect.stringMatching(/switched off by the operator[^]*shell_exec +unsafe/) });
    const server = project.start(['serve', ...config]);
    await untilSaid(server, /WARNING: the sandbox is switched off/);
    server.stdin.end();
  });

  it('is refused in a file of the project, trusted or not', async () => {
    await using project = await createProject();
    writeFileSync(path.join(project.root, 'devs.config.json'), JSON.stringify(OFF));
    const before = await project.run(call('read_file', { path: 'hello.txt' }));
    expect(before).toMatchObject({ code: 0, stderr: expect.stringContaining('Not applied') });
    const trust = await typeAt(project, ['config', 'trust'], { typed: 'yes\n' });
    expect(trust).toMatchObject({ code: 78 });
    expect(`${trust.stdout}${trust.stderr}`).toContain('which counts in your own file alone');
    const after = await project.run(call('shell_exec', { argv: ['cat', '../outside/secret.txt'] }));
    expect(after.stdout).not.toContain('the secret');
  });
});
