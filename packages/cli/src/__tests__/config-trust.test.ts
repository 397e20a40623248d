import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createProject, type Project } from './devs.ts';
import { clientEnvironment } from './test-client.ts';
import { runWithoutTerminal, typeAt } from './devs-terminal.ts';

const MAIN = path.resolve(__dirname, '..', '..', 'dist', 'main.js');
const TOKEN = 'ghp_1a2B3c4D5e6F7g8H9i0J';
/** Each has made a program load or fetch what its reader was not shown. */
const INSTRUCTIONS = [
  ['UV_INDEX_URL', 'PIP_INDEX_URL', 'HOME', 'XDG_CONFIG_HOME', 'GIT_ASKPASS', 'GIT_CONFIG_KEY_0'],
  ['SSH_ASKPASS', 'HTTPS_PROXY', 'SSL_CERT_FILE', 'OPENSSL_CONF', 'BUN_OPTIONS', 'DOTNET_STARTUP_HOOKS'],
  ['GOFLAGS', 'RUSTC_WRAPPER', 'PROMPT_COMMAND', 'DOCKER_HOST', 'COREPACK_NPM_REGISTRY', 'npm_config_registry'],
];
const WRITE = ['call', 'write_file', '{"path":"hello.txt","content":"changed"}'];

let project: Project;
let file: string;
beforeEach(async () => {
  project = await createProject();
  file = path.join(project.root, 'devs.config.json');
});
afterEach(async () => project[Symbol.asyncDispose]());

const write = async (content: unknown) => writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
const protecting = { files: { protected: ['hello.txt'] } };

/** Empty when nothing was ever trusted. */
async function records(): Promise<readonly string[]> {
  const names = await readdir(project.state).catch(() => []);
  return names.filter((name) => name.startsWith('trusted'));
}

describe('devs config trust', () => {
  it('changes what a call may do, from the moment that somebody at a terminal types yes', async () => {
    await write(protecting);
    const before = await project.run(WRITE);
    expect(before).toMatchObject({ code: 0, stderr: expect.stringMatching(/Not applied: .*devs config trust/) });
    const trusted = await typeAt(project, ['config', 'trust'], { typed: 'yes\n' });
    expect(trusted.code).toBe(0);
    const after = await project.run(WRITE);
    expect(after).toMatchObject({ code: 2, stderr: expect.stringMatching(/Configuration: .*devs\.config\.json, trusted on/) });
  });

  it('shows the file, its hash, each key with the value in force, commands, hosts, and last what it weakens', async () => {
    const mcpServers = { gh: { command: 'npx', args: ['-y', 'x\u001b[2J'], env: { TOKEN } }, far: { url: `https://far.example/mcp?key=${TOKEN}` } };
    await write({ limits: { toolTimeoutMs: 90_000 }, audit: { durability: '${DURABILITY:-process}' }, mcpServers });
    const { stdout } = await typeAt(project, ['config', 'trust'], { typed: 'no\n' });
    const parts = [
      `File    ${file}`,
      /SHA-256 [0-9a-f]{64}/,
      'limits.toolTimeoutMs: 90000 (now 60000)',
      'audit.durability: "${DURABILITY:-process}" (now "power")',
      'gh: ["npx","-y","x\\u001b[2J"] with "TOKEN"="(hidden)"',
      'far: far.example (https://far.example/mcp?key=(hidden))',
      'It weakens 3 keys:',
      'limits.toolTimeoutMs: 90000 milliseconds may a tool go on, where it was 60000',
      'audit.durability: whoever starts devs chooses it, by DURABILITY',
      'mcpServers: what gh (npx) runs in the project is not known, and an agent can change it later',
      'Variables of your environment that its servers take (0): none',
      'It weakens 3 keys. Trust exactly this?',
    ];
    const places = parts.map((part) => stdout.search(typeof part === 'string' ? new RegExp(part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')) : part));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((one, other) => one - other));
    expect(stdout).not.toMatch(/ghp_1a2B|\u001b\[2J/);
  });

  it('names every variable that a server takes, at its place and right above the question, and prints no value of one', async () => {
    const far = { url: 'http://${USERPART}@127.0.0.1:18080/mcp?x=${GITHUB_TOKEN}&y=${HOME}', headers: { 'X-Id': 'a ${HEADER}' } };
    const near = { command: '${PROGRAM:-node}', args: ['--at=${ARGUMENT}'], env: { A: 'b${MEMBER}' }, cwd: '${FOLDER:-.}' };
    await write({ mcpServers: { far, near } });
    const env = Object.fromEntries(['USERPART', 'GITHUB_TOKEN', 'HEADER', 'ARGUMENT', 'MEMBER'].map((name) => [name, 'hunter2']));
    const { stdout } = await typeAt(project, ['config', 'trust'], { typed: 'no\n', env });
    expect(stdout).toContain('far: 127.0.0.1:18080, or what the environment makes of it by USERPART (http://${USERPART}@127.0.0.1:18080/mcp?x=${GITHUB_TOKEN}&y=${HOME}) with "X-Id"="a ${HEADER}"');
    expect(stdout).toContain('near: ["${PROGRAM:-node}","--at=${ARGUMENT}"] in "${FOLDER:-.}" with "A"="b${MEMBER}"');
    const last = stdout.slice(stdout.indexOf('It weakens'));
    expect(last).toContain('Variables of your environment that its servers take (8): GITHUB_TOKEN (far), ');
    for (const name of ['USERPART (far)', 'HOME (far)', 'HEADER (far)', 'PROGRAM (near)', 'ARGUMENT (near)', 'MEMBER (near)', 'FOLDER (near)']) expect(last).toContain(name);
    expect(last).toMatch(/take \(8\): [^\n]*\nIt weakens 1 key\. Trust exactly this/);
    expect(stdout).not.toContain('hunter2');
  });

  it('names the variables that are set and called like a secret before any number of others', async () => {
    const env = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`N${index}`, `\${UNSET_TOKEN_${index}:-}\${HOME}`]));
    await write({ mcpServers: { a: { command: 'x', env: { ...env, Z: '${MY_TOKEN}' } } } });
    const { stdout } = await typeAt(project, ['config', 'trust'], { typed: 'no\n', env: { MY_TOKEN: 'hunter2' } });
    expect(stdout).toMatch(/take \(502\): MY_TOKEN \(a\), HOME \(a\), UNSET_TOKEN_0 \(a\),.* and 478 more\nIt weakens/);
  });

  it.each(INSTRUCTIONS)('shows what a project puts into %s and others, wherever it is said', async (...names) => {
    const env = Object.fromEntries(names.map((name) => [name, `./evil-${name}`]));
    await write({ mcpServers: { a: { command: 'x', env: { ...env, OTHER: 'y'.repeat(200_000) } } } });
    const { stdout } = await typeAt(project, ['config', 'trust'], { typed: 'no\n' });
    for (const name of names) {
      expect(stdout).toContain(`mcpServers.a.env.${name}: "./evil-${name}" (now not set)`);
      expect(stdout).toContain(`"${name}"="./evil-${name}"`);
    }
    expect(stdout).toContain('more characters, look at them in the file)');
    expect(stdout.length).toBeLessThan(6_000);
  });

  it('hides what the operator’s own file holds, though the project’s file would take its place', async () => {
    const user = path.join(project.root, '..', 'config', 'devs');
    await mkdir(user, { recursive: true });
    await writeFile(path.join(user, 'devs.config.json'), JSON.stringify({ mcpServers: { a: { command: 'x', env: { PLACE: 'hunter2' } } } }), { mode: 0o600 });
    await write({ mcpServers: { a: { command: 'x', env: { PLACE: 'mine' } } } });
    const { stdout } = await typeAt(project, ['config', 'trust'], { typed: 'no\n' });
    expect(stdout).toContain('mcpServers.a.env.PLACE: "mine" (now (hidden))');
    expect(stdout).not.toContain('hunter2');
  });

  it('shows what the last trusted file protected and the new one does not', async () => {
    await write(protecting);
    await typeAt(project, ['config', 'trust'], { typed: 'yes\n' });
    await write({});
    const { stdout } = await typeAt(project, ['config', 'trust'], { typed: 'no\n' });
    expect(stdout).toContain('files.protected ["hello.txt"] -> [] (no longer said)');
    expect(stdout).toContain('files.protected: tools may write "hello.txt" again');
  });

  it.each(['no\n', '\n', 'y\n', 'YES\n', 'yes please\n', '\u0004'])('takes %j for no: nothing is trusted', async (typed) => {
    await write(protecting);
    const { code, stdout } = await typeAt(project, ['config', 'trust'], { typed });
    expect(code).toBe(1);
    expect(stdout).toContain('Nothing is trusted.');
    expect(await records()).toEqual([]);
  });

  it('takes an interrupt for no', async () => {
    await write(protecting);
    const { code } = await typeAt(project, ['config', 'trust'], { typed: '\u0003' });
    // The terminal's own word for it where it comes before devs listens.
    expect([1, 130]).toContain(code);
    expect(await records()).toEqual([]);
  });

  it('asks nobody but a terminal: what is piped in is no answer', async () => {
    await write(protecting);
    const { code, stderr } = await runWithoutTerminal(project, ['config', 'trust'], 'yes\n'.repeat(1_000));
    expect(code).toBe(78);
    expect(stderr).toMatch(/no terminal to ask on, so nothing is trusted/);
    expect(await records()).toEqual([]);
  });

  it('does not hear standard input even where there is a terminal', async () => {
    await write(protecting);
    await writeFile(path.join(project.root, 'yes.txt'), 'yes\n');
    const answered = await typeAt(project, ['config', 'trust'], { typed: 'no\n', redirect: '< yes.txt > said.txt 2>&1' });
    expect(answered).toMatchObject({ code: 1, stdout: expect.stringContaining(`File    ${file}`) });
    expect(await records()).toEqual([]);
  });

  it('trusts the bytes that were shown, not those that stand there when the answer comes', async () => {
    await write(protecting);
    const { code } = await typeAt(project, ['config', 'trust'], { typed: 'yes\n', beforeAnswer: async () => write({ files: { protected: [] } }) });
    expect(code).toBe(0);
    const called = await project.run(WRITE);
    expect(called.code).toBe(2);
    expect(called.stderr).toContain('has changed');
    expect(called.stderr).toContain('files.protected ["hello.txt"] -> []');
  });

  it('has nothing to ask about a file that is trusted as it is', async () => {
    await write(protecting);
    await typeAt(project, ['config', 'trust'], { typed: 'yes\n' });
    expect(await runWithoutTerminal(project, ['config', 'trust'], '')).toMatchObject({ code: 0, stderr: expect.stringContaining('already trusted') });
  });

  it.each<[string, () => Promise<unknown>, number, RegExp]>([
    ['that is not there', async () => undefined, 78, /does not exist, so there is nothing to trust/],
    ['that is broken', async () => write('{\n  "limits": {"toolTimeoutMs": 1,}\n}'), 78, /devs\.config\.json:2:33: is not JSON/],
    ['that is a link', async () => symlink(path.join(project.outside, 'secret.txt'), file), 78, /cannot be trusted: it is a symbolic link/],
    ['of 10 MB', async () => write(' '.repeat(10_000_000)), 78, /larger than 262144 bytes/],
  ])('refuses a file %s', async (_name, make, expected, message) => {
    await make();
    const { code, stderr } = await runWithoutTerminal(project, ['config', 'trust'], '');
    expect({ code }).toEqual({ code: expected });
    expect(stderr).toMatch(message);
  });

  it('refuses where the state folder lies inside the project', async () => {
    await write(protecting);
    const { code, stdout } = await typeAt(project, ['config', 'trust'], { typed: 'yes\n', env: { DEVS_STATE_DIR: path.join(project.root, 'state') } });
    expect(code).toBe(78);
    expect(stdout).toContain('cannot be trusted: the state folder is inside the project');
  });

  it('keeps the warnings and the question on the screen, whatever is named', async () => {
    const mcpServers = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`s${index}`, { command: 'x' }]));
    await write({ audit: { durability: `\${${'A'.repeat(5_000)}:-process}` }, mcpServers });
    const { stdout } = await typeAt(project, ['config', 'trust'], { typed: 'no\n' });
    const last = stdout.slice(stdout.indexOf('It weakens 2 keys:'));
    expect(last).toContain('s0, s1, s2 and 997 more');
    expect(last.length).toBeLessThan(1_000);
  });

  it('makes no operator of a repository that devs is started in and told to serve another folder', async () => {
    await writeFile(path.join(project.root, 'evil.json'), JSON.stringify({ limits: { toolTimeoutMs: 1 } }));
    const { stdout } = await project.run(['config', 'print', '--root', project.outside, '--config', 'evil.json']);
    expect(stdout).toMatch(/limits\.toolTimeoutMs +60000/);
    expect(stdout).toMatch(/evil\.json: .*not trusted/);
  });

  it('says that a file outside needs no trust', async () => {
    const outside = path.join(project.outside, 'team.json');
    await writeFile(outside, '{}');
    expect(await runWithoutTerminal(project, ['config', 'trust', '--config', outside], '')).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/is outside the project/),
    });
  });

  it('lets a better file be trusted when the trusted one cannot be used any more', async () => {
    const env = { NAME: 'hello.txt' };
    await write({ files: { protected: ['${NAME}'] } });
    await typeAt(project, ['config', 'trust'], { typed: 'yes\n', env });
    expect((await project.run(['tools'])).code).toBe(78);
    await write(protecting);
    expect((await typeAt(project, ['config', 'trust'], { typed: 'yes\n' })).code).toBe(0);
    expect((await project.run(['tools'])).code).toBe(0);
  });
});

describe('what is trusted', () => {
  it('stays in force while it is served and at the next start, though the file is deleted', async () => {
    await write(protecting);
    await typeAt(project, ['config', 'trust'], { typed: 'yes\n' });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [MAIN, 'serve', '--root', project.root], env: clientEnvironment(project), stderr: 'ignore' }));
    await rm(file);
    const answer = await client.callTool({ name: 'write_file', arguments: { path: 'hello.txt', content: 'x' } });
    expect(answer.isError).toBe(true);
    await client.close();
    expect(await project.run(WRITE)).toMatchObject({ code: 2, stderr: expect.stringMatching(/is gone; what was trusted on .* stays in force/) });
  });
});
