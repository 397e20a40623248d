import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, parseLines, type Project } from './devs.ts';

let project: Project;
beforeAll(async () => {
  project = await createProject();
});
afterAll(async () => project[Symbol.asyncDispose]());

const OLD_NODE = 'data:text/javascript,Object.defineProperty(process.versions,"napi",{value:"9"})';

describe('what cannot be understood', () => {
  it.each([
    ['an unknown command', ['frobnicate'], /unknown command/],
    ['an unknown flag', ['serve', '--bogus'], /unknown option '--bogus'/],
    ['a missing argument', ['call'], /missing required argument 'tool'/],
    ['one argument too many', ['call', 'a', '{}', 'b'], /too many arguments/],
    ['arguments that are no JSON', ['call', 'read_file', '{path}'], /not JSON.*Example/s],
    ['a port that is none', ['serve', '--http', '99999'], /\[host:\]port/],
    ['an address of another machine', ['serve', '--http', '0.0.0.0:7337'], /only on this machine/],
    ['a limit of nothing', ['logs', 'list', '--limit', '0'], /1 to 1000/],
    ['a status that is none', ['logs', 'list', '--status', 'fine'], /Allowed choices/],
  ])('%s ends with 64 and says what is wrong', async (_name, args, message) => {
    const { code, stdout, stderr } = await project.run(args);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each([
    ['a root that is not there', ['tools', '--root', 'nowhere'], /"nowhere" does not exist/],
    ['a root that is a file', ['tools', '--root', 'hello.txt'], /is not a folder/],
  ])('%s ends with 78', async (_name, args, message) => {
    const { code, stderr } = await project.run(args);
    expect(code).toBe(78);
    expect(stderr).toMatch(message);
  });

  it('a Node that is too old ends with 69 and one sentence', async () => {
    const { code, stderr } = await project.run(['tools'], { nodeArgs: ['--import', OLD_NODE] });
    expect(code).toBe(69);
    expect(stderr).toMatch(/^devs needs Node 22\.14 or newer; this is .*\n$/);
  });

  it('a state folder that cannot be made ends with 78, and nothing is called', async () => {
    const args = ['call', 'write_file', '{"path":"made.txt","content":"x"}'];
    const { code, stdout, stderr } = await project.run(args, { env: { DEVS_STATE_DIR: '/proc/1/devs-state' } });
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toMatch(/state folder .* Set DEVS_STATE_DIR/);
    expect((await project.run(['call', 'read_file', '{"path":"made.txt"}'])).code).toBe(1);
  });
});

describe('help', () => {
  it('names no command that the page of the command line does not tell of', async () => {
    const page = await readFile(path.join(__dirname, '../../../../docs/reference/command-line.md'), 'utf8');
    const commandsOf = async (words: readonly string[]) => {
      const { stdout } = await project.run([...words, '--help']);
      const [, list = ''] = stdout.split('\nCommands:\n');
      return [...(list.split('\n\n')[0] ?? '').matchAll(/^ {2}([a-z]+)/gm)].map(([, name = '']) => [...words, name]).filter(([name]) => name !== 'help');
    };
    const commands = await commandsOf([]);
    const inner = (await Promise.all(commands.map(commandsOf))).flat().filter((words) => words.at(-1) !== 'help');
    expect(inner.length).toBeGreaterThan(15);
    expect([...commands, ...inner].map((words) => `devs ${words.join(' ')}`).filter((command) => !page.includes(`\`${command}`))).toEqual([]);
  });

  it.each([[['--help']], [['serve', '--help']], [['call', '--help']], [['tools', '--help']], [['logs', '--help']]])(
    '%j shows examples on standard output and ends with 0',
    async (args) => {
      const { code, stdout, stderr } = await project.run(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/Examples:\n {2}.*devs /);
    },
  );
});

describe('devs call', () => {
  it('prints the content and nothing else', async () => {
    const ended = await project.run(['call', 'read_file', '{"path":"hello.txt"}']);
    expect(ended).toEqual({ code: 0, stdout: 'hello\n', stderr: '' });
  });

  it('ends with 1 when the tool fails, and says why on standard error', async () => {
    const { code, stdout, stderr } = await project.run(['call', 'read_file', '{"path":"nothing.txt"}']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/no such file/i);
  });

  it.each([
    ['an unknown tool', 'constructor', '{}'],
    ['arguments that do not fit', 'read_file', '{"path":7}'],
    ['a prototype in the arguments', 'read_file', '{"path":"hello.txt","__proto__":{"a":1}}'],
    ['a path that leads out', 'read_file', '{"path":"../outside/secret.txt"}'],
    ['a protected path', 'write_file', '{"path":".git/hooks/post-commit","content":"x"}'],
  ])('ends with 2 for %s', async (_name, tool, json) => {
    const { code, stdout, stderr } = await project.run(['call', tool, json]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toContain(project.outside);
  });

  it('reads the arguments from standard input, and --json prints the whole result', async () => {
    const input = JSON.stringify({ path: 'from-stdin.txt', content: 'piped' });
    const { code, stdout } = await project.run(['call', 'write_file', '-', '--json'], { input });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ content: [{ type: 'text' }] });
    expect((await project.run(['call', 'read_file', '{"path":"from-stdin.txt"}'])).stdout).toBe('piped\n');
  });
});

describe('devs tools', () => {
  it('lists the tools, one JSON object a line', async () => {
    const tools = parseLines((await project.run(['tools', '--json'])).stdout);
    expect(tools).toMatchObject([
      { name: 'read_file', source: 'built-in', effects: false, labels: ['private'] },
      { name: 'write_file', effects: true },
      { name: 'surgical_edit', effects: true },
      { name: 'list_directory', effects: false },
      { name: 'search_files', effects: false },
      { name: 'read_more', effects: false, labels: ['private'] },
      { name: 'shell_exec', effects: true, labels: ['private'] },
      { name: 'git_commit', effects: true },
      { name: 'web_fetch', effects: true, labels: ['untrusted', 'external'] },
      { name: 'run_code', effects: true },
    ]);
    expect((await project.run(['tools'])).stdout).toMatch(/^read_file +built-in +read only +private$/m);
  });
});

describe('devs logs', () => {
  it('shows a call by the start of its id, and says when there is none', async () => {
    await project.run(['call', 'read_file', '{"path":"hello.txt"}']);
    const entry = (await project.log()).at(-1);
    const id = String(entry?.['id']);
    const shown = await project.run(['logs', 'show', id.slice(0, 18), '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ id, status: 'ok', decision: { rule: 'default' } });
    const none = await project.run(['logs', 'show', 'ffffffff-ffff']);
    expect(none).toMatchObject({ code: 1, stdout: '' });
  });

  it('cannot be made to write escapes or lines of its own by what was called', async () => {
    const name = 'read_file\u001b[2J\nok  forged line\u202e';
    await project.run(['call', name, '{}']);
    const { stdout } = await project.run(['logs', 'list', '--limit', '1']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  });

  it('says so when there is no log yet, and makes none', async () => {
    const env = { DEVS_STATE_DIR: path.join(project.root, '..', 'never-used') };
    const { code, stderr } = await project.run(['logs'], { env });
    expect(code).toBe(78);
    expect(stderr).toMatch(/no (call )?log/i);
    expect((await project.run(['logs'], { env })).code).toBe(78);
  });

  it('says so when the log is none', async () => {
    const state = path.join(project.root, '..', 'not-a-log');
    await project.run(['tools'], { env: { DEVS_STATE_DIR: state } });
    await writeFile(path.join(state, 'agent_logs.db'), 'this is no database, but it is long enough to look like a file');
    const { code, stderr } = await project.run(['call', 'read_file', '{"path":"hello.txt"}'], { env: { DEVS_STATE_DIR: state } });
    expect(code).toBe(78);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});
