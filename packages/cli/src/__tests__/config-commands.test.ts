import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CONFIG_SCHEMA } from '@devs/core';
import { createProject, type Project } from './devs.ts';

const MAIN = path.resolve(__dirname, '..', '..', 'dist', 'main.js');
const PROGRAM = path.resolve(__dirname, '..', '..', 'dist', 'program.js');

let project: Project;
beforeEach(async () => {
  project = await createProject();
});
afterEach(async () => project[Symbol.asyncDispose]());

async function outside(content: unknown): Promise<string> {
  const file = path.join(project.outside, 'team.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o644 });
  return file;
}

describe('--config on every command', () => {
  it('configures a call: the same result is cut where the file says', async () => {
    const config = await outside({ mcp: { maxToolOutputBytes: 60 } });
    await writeFile(path.join(project.root, 'long.txt'), 'x'.repeat(500));
    const call = ['call', 'read_file', '{"path":"long.txt"}'];
    expect((await project.run(call)).stdout).toHaveLength(501);
    const cut = await project.run([...call, '--config', config]);
    expect(cut).toMatchObject({ code: 0, stdout: expect.stringContaining('OUTPUT TRUNCATED'), stderr: expect.stringContaining(`Configuration: ${config}\n`) });
  });

  it.each([[['serve']], [['call', 'read_file']], [['tools']], [['logs']], [['logs', 'list']], [['logs', 'show', 'x']], [['config', 'print']]])(
    '%j ends with 78 when the file is not there or not right',
    async (args) => {
      const missing = await project.run([...args, '--config', path.join(project.outside, 'none.json')]);
      expect(missing).toMatchObject({ code: 78, stdout: '', stderr: expect.stringMatching(/none\.json" does not exist/) });
      const broken = await project.run([...args, '--config', await outside('{\n  "limts": {}\n}')]);
      expect(broken).toMatchObject({ code: 78, stdout: '', stderr: expect.stringMatching(/team\.json:2:3: limts is an unknown key; did you mean "limits"/) });
    },
  );

  it('a file that cannot be read ends with 78, for whoever is not root', async () => {
    const place = await mkdtemp(path.join(os.tmpdir(), 'devs-unreadable-'));
    await chmod(place, 0o755);
    const [root, config] = [path.join(place, 'root'), path.join(place, 'team.json')];
    await mkdir(root);
    await writeFile(config, '{}', { mode: 0o000 });
    // Root reads everything, so that the child becomes somebody else once its modules are loaded.
    const becomeNobody = 'if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }';
    const program = `const { runProgram } = await import(process.env.DEVS_PROGRAM); await runProgram(['config', '--help']); await import('jsonc-parser'); ${becomeNobody}
      process.exitCode = await runProgram(process.argv.slice(1)); process.exit();`;
    const env = { ...process.env, DEVS_PROGRAM: PROGRAM, DEVS_STATE_DIR: path.join(place, 'state'), XDG_CONFIG_HOME: path.join(place, 'config') };
    const args = ['--input-type=module', '--eval', program, '--', 'config', 'print', '--root', root, '--config', config];
    const child = spawn(process.execPath, args, { cwd: path.dirname(MAIN), env });
    const [stderr] = await Promise.all([readAll(child.stderr), once(child, 'close')]);
    await rm(place, { recursive: true });
    expect({ code: child.exitCode, stderr }).toEqual({ code: 78, stderr: expect.stringMatching(/team\.json" cannot be read \(EACCES\)/) });
  });

  it('inside the project configures nothing until it is trusted, from wherever a committed command line starts', async () => {
    await mkdir(path.join(project.root, '.git'));
    await mkdir(path.join(project.root, 'packages'));
    await writeFile(path.join(project.root, 'packages', 'long.txt'), 'x'.repeat(500));
    await writeFile(path.join(project.root, 'evil.json'), '{"mcp":{"maxToolOutputBytes":60}}');
    const called = await project.run(['call', 'read_file', '{"path":"long.txt"}', '--root', './packages', '--config', './evil.json']);
    expect(called).toMatchObject({ code: 0, stdout: `${'x'.repeat(500)}\n`, stderr: expect.stringMatching(/^Not applied: .*evil\.json/) });
  });
});

describe('devs config print', () => {
  it('says each key, its value and who set it, and what became of each file', async () => {
    const user = path.join(project.root, '..', 'config', 'devs');
    await mkdir(user, { recursive: true });
    await writeFile(path.join(user, 'devs.config.json'), '{"limits":{"toolTimeoutMs":7},"files":{"protected":["a"]}}', { mode: 0o600 });
    await writeFile(path.join(project.root, 'devs.config.json'), '{}');
    const printed = await project.run(['config', 'print']);
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    expect(printed.stdout).toMatch(/^limits\.toolTimeoutMs +7 +# user file$/m);
    expect(printed.stdout).toMatch(/^http\.maxRequests +1024 +# default$/m);
    expect(printed.stdout).toMatch(/^mcpServers +\{\} +# default$/m);
    expect(printed.stdout).toMatch(/^# project +.*devs\.config\.json: not trusted; not applied$/m);
    const { keys, files }: Record<string, unknown> = JSON.parse((await project.run(['config', 'print', '--json'])).stdout);
    expect(keys).toEqual(expect.arrayContaining([{ key: 'files.protected', value: ['a'], source: 'user file' }]));
    expect(files).toMatchObject([{ role: 'user', status: 'in force' }, { role: 'project', status: 'not trusted; not applied' }]);
  });

  it('prints no secret, and nothing that steers a terminal', async () => {
    const config = await outside({ mcpServers: { a: { command: '\u001b[2J\u202e', env: { T: 'hunter2', U: '${SECRET}' } } } });
    for (const format of [[], ['--json']]) {
      const { stdout } = await project.run(['config', 'print', '--config', config, ...format], { env: { SECRET: 'hunter2' } });
      expect(stdout).toContain('${SECRET}');
      expect(stdout).not.toMatch(/hunter2|[\u001b\u202e]/);
    }
  });
});

describe('devs config schema', () => {
  it('prints the schema that is checked', async () => {
    expect(JSON.parse((await project.run(['config', 'schema'])).stdout)).toEqual(CONFIG_SCHEMA);
  });
});
