import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG } from '@devs/core';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { Playground } from './command-scene.ts';

const { sandbox, files } = DEFAULT_CONFIG;

withBoxes('a command in the project', () => {
  it.each<[string, readonly [string, ...string[]], object, { readonly exit: object; readonly stdout?: string; readonly stderr?: unknown }]>([
    ['gives its output and its code', ['sh', '-c', 'echo out; echo err >&2; exit 3'], {}, { exit: { kind: 'code', code: 3 }, stdout: 'out\n', stderr: 'err\n' }],
    ['reads what it is given, to its end', ['cat'], { stdin: 'héllo' }, { exit: { kind: 'code', code: 0 }, stdout: 'héllo' }],
    ['reads nothing where nothing is given', ['cat'], {}, { exit: { kind: 'code', code: 0 }, stdout: '' }],
    ['gets what it is given as an environment', ['sh', '-c', 'echo "$A$HOME$TMPDIR"'], { env: { A: 'b' } }, { exit: { kind: 'code', code: 0 }, stdout: 'b/tmp/tmp\n' }],
    ['is told apart from a signal', ['sh', '-c', 'kill -TERM $$'], {}, { exit: { kind: 'signal', signal: 'SIGTERM' } }],
    ['and from its time', ['sleep', '60'], { timeoutMs: 500 }, { exit: { kind: 'limit', limit: 'wall' } }],
    ['says what was said before its time was over', ['sh', '-c', 'echo so far; sleep 60'], { timeoutMs: 4_000 }, { exit: { kind: 'limit', limit: 'wall' }, stdout: 'so far\n' }],
    ['writes no shell line: words are words', ['echo', '$(id)', ';', 'id'], {}, { exit: { kind: 'code', code: 0 }, stdout: '$(id) ; id\n' }],
    ['that is not there is its own fault', ['no-such-program'], {}, { exit: { kind: 'code', code: 127 }, stderr: expect.stringContaining('no-such-program') }],
    ['may write to its outputs by their names', ['sh', '-c', 'echo a > /dev/stdout; echo b > /dev/stderr'], {}, { exit: { kind: 'code', code: 0 }, stdout: 'a\n', stderr: 'b\n' }],
  ])('%s', async (_, argv, plan, expected) => {
    using playground = new Playground();
    const { outcome, stdout, stderr } = await playground.run({ argv, ...plan });
    expect({ exit: outcome.exit, stdout, stderr }).toMatchObject(expected);
  });

  it('runs where it is told to, inside the project alone', async () => {
    using playground = new Playground();
    playground.write({ 'project/sub/a': '', 'outside/b': '' });
    symlinkSync('sub', path.join(playground.root, 'link'));
    symlinkSync('../outside', path.join(playground.root, 'out'));
    for (const cwd of ['sub', 'link', path.join(playground.root, 'sub')]) {
      expect((await playground.run({ argv: ['pwd'], cwd })).stdout).toBe(`${path.join(playground.root, 'sub')}\n`);
    }
    await expect(playground.run({ argv: ['pwd'], cwd: '../outside' })).rejects.toMatchObject({ code: 'PATH_OUTSIDE_ROOT' });
    await expect(playground.run({ argv: ['pwd'], cwd: 'out' })).rejects.toMatchObject({ code: 'PATH_OUTSIDE_ROOT' });
    await expect(playground.run({ argv: ['pwd'], cwd: 'gone' })).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(playground.run({ argv: ['pwd'], cwd: 'sub/a' })).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY' });
  });

  it('sees nothing of what is blocked, and only what is allowed', async () => {
    using playground = new Playground();
    playground.write({ 'project/secrets/key': 'SECRET', 'project/.env': 'SECRET', 'project/src/a': 'open' });
    const argv = ['sh', '-c', 'cat secrets/key .env src/a; ls secrets; echo x > secrets/y'] as const;
    const blocked = await playground.run({ argv }, { config: { files: { ...files, blocked: ['secrets', '.ENV'] } } });
    expect(blocked.stdout).toBe('open');
    expect(`${blocked.stdout}${blocked.stderr}`).not.toContain('SECRET');
    const allowed = await playground.run({ argv: ['sh', '-c', 'find . -type f'] }, { config: { files: { ...files, allowed: ['src'] } } });
    expect(allowed.stdout).toBe('./src/a\n');
    const open = await playground.run({ argv: ['cat', 'secrets/key'] });
    expect(open.stdout).toBe('SECRET');
  });

  it('cannot rename a folder around what is blocked, and read it there in its next call', async () => {
    using playground = new Playground();
    playground.write({ 'project/a/b/secrets/key': 'SECRET', 'project/a/other': 'open' });
    const config = { files: { ...files, blocked: ['a/b/secrets'] } };
    const first = await playground.run({ argv: ['sh', '-c', 'mv a c; mv a/b d; mv a/b/secrets e; mv a/other a/another && cat a/another'] }, { config });
    expect(first.stdout).toBe('open');
    expect((await playground.run({ argv: ['sh', '-c', 'find . -name key | xargs cat'] }, { config })).stdout).toBe('');
  });

  it('cannot change what others obey, and what it plants is moved aside', async () => {
    using playground = new Playground();
    playground.write({ 'project/.mcp.json': '{}', 'project/.git/config': '[core]\n', 'project/src/a': '' });
    const script = 'echo x > .mcp.json; echo x >> .git/config; mv .git .hg; mkdir -p src/.git/hooks; echo x > .envrc; mkdir .vscode; echo x > .vscode/tasks.json; true';
    const { outcome } = await playground.run({ argv: ['sh', '-c', script] });
    expect(outcome.movedAside.map((moved) => moved.path).toSorted()).toEqual(['.envrc', '.vscode', 'src/.git']);
    expect(readFileSync(path.join(playground.root, '.mcp.json'), 'utf8')).toBe('{}');
    expect(readFileSync(path.join(playground.root, '.git/config'), 'utf8')).toBe('[core]\n');
    for (const name of ['.envrc', '.vscode', 'src/.git', '.hg']) expect(existsSync(path.join(playground.root, name))).toBe(false);
    for (const { to } of outcome.movedAside) expect(existsSync(path.join(playground.root, to))).toBe(true);
  });

  it('copies what has attributes without them, and says no fault', async () => {
    using playground = new Playground();
    playground.write({ 'project/from/a': 'x' });
    // Where the disk or the machine has no attributes, there is nothing to leave out.
    spawnSync('setfattr', ['-n', 'user.devs', '-v', 'x', path.join(playground.root, 'from/a')]);
    spawnSync('setfacl', ['-m', 'u:1:rw,d:o:rwx', path.join(playground.root, 'from')]);
    const script = 'cp -a from to && tar -cf - from | tar -xpf - --transform s/from/again/ && cp -p from/a b && mv b to/b && cat to/a again/a to/b';
    const { outcome, stdout, stderr } = await playground.run({ argv: ['sh', '-c', script] });
    expect({ exit: outcome.exit, stdout, stderr }).toEqual({ exit: { kind: 'code', code: 0 }, stdout: 'xxx', stderr: '' });
  });

  it.each([
    ['what it lets others do there', 0o755, 'chmod 777 .', 0o755, true],
    ['the same of a group, where the owner’s own mode is changed beside it', 0o755, 'chmod 570 .', 0o550, true],
    ['that others rename what is not theirs', 0o1777, 'chmod 777 .', 0o1777, true],
    ['nothing where it takes rights away', 0o777, 'chmod 750 .', 0o750, false],
    ['nothing where others could write before', 0o775, 'chmod 775 .', 0o775, false],
  ])('takes back in the root: %s', async (_, before, script, after, rootClosed) => {
    using playground = new Playground();
    chmodSync(playground.root, before);
    const { outcome } = await playground.run({ argv: ['sh', '-c', script] });
    expect({ mode: (statSync(playground.root).mode & 0o7777).toString(8), rootClosed: outcome.rootClosed === true }).toEqual({ mode: after.toString(8), rootClosed });
  });

  it('what it plants is moved aside also when nobody waits for it any more', async () => {
    using playground = new Playground();
    const cancel = new AbortController();
    const running = playground.run({ argv: ['sh', '-c', 'mkdir .vscode; touch made; sleep 60'] }, { signal: cancel.signal });
    while (!existsSync(path.join(playground.root, 'made'))) await new Promise((resolve) => setTimeout(resolve, 20));
    cancel.abort();
    expect((await running).outcome).toMatchObject({ exit: { kind: 'cancelled' }, movedAside: [{ path: '.vscode' }] });
    expect(existsSync(path.join(playground.root, '.vscode'))).toBe(false);
  });

  it('whose arguments are longer than the system takes is refused, and not run', async () => {
    using playground = new Playground();
    const argv = ['true', ...Array.from({ length: 40 }, () => 'x'.repeat(131_000))] as const;
    await expect(playground.run({ argv })).rejects.toMatchObject({ code: 'COMMAND_REFUSED', sentence: expect.stringContaining('longer than the system takes') });
  });

  it('that has run, and left what cannot be looked for, is not said to have been refused', async () => {
    using playground = new Playground();
    const running = playground.run({ argv: ['sh', '-c', 'touch made; sleep 1'] });
    while (!existsSync(path.join(playground.root, 'made'))) await new Promise((resolve) => setTimeout(resolve, 10));
    renameSync(playground.root, `${playground.root}-moved`);
    await expect(running).rejects.toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringMatching(/^The command has run/) });
  });

  it('reaches no host by itself, and through devs none that is not allowed', async () => {
    using playground = new Playground();
    const ask = "fetch('http://127.0.0.1:12345/').then(() => 'reached', (e) => String(e.cause?.code ?? e)).then(console.log)";
    const alone = await playground.run({ argv: [process.execPath, '-e', ask] }, { config: { sandbox: { ...sandbox, readable: [process.execPath] } } });
    expect(alone.stdout).toMatch(/ECONNREFUSED|ENETUNREACH/);
    const proxied = "require('node:http').get('http://other.example/', (r) => { r.setEncoding('utf8'); r.on('data', (t) => console.log(r.statusCode, t)); })";
    const config = { network: { hosts: ['docs.example'] }, sandbox: { ...sandbox, readable: [process.execPath] } };
    const refused = await playground.run({ argv: [process.execPath, '-e', proxied] }, { config });
    expect(refused.stdout).toContain('403 devs: The host "other.example" is not allowed.');
    expect(refused.outcome.exit).toEqual({ kind: 'code', code: 0 });
  });

  it('ends as it ends where hosts are allowed, too', async () => {
    using playground = new Playground();
    const config = { network: { hosts: ['docs.example'] } };
    expect((await playground.run({ argv: ['sh', '-c', 'cat; exit 7'], stdin: 'in' }, { config })).outcome.exit).toEqual({ kind: 'code', code: 7 });
    expect((await playground.run({ argv: ['no-such-program'] }, { config })).outcome.exit).toEqual({ kind: 'code', code: 127 });
    expect((await playground.run({ argv: ['sh', '-c', 'echo "$HTTPS_PROXY"'] }, { config })).stdout).toBe('http://127.0.0.1:3128\n');
  });
});

describe('fails closed', () => {
  const bin = (playground: Playground) => path.join(playground.base, 'bin');

  it('without bubblewrap: nothing is run, and the answer says what is missing and what mends it', async () => {
    using playground = new Playground();
    mkdirSync(bin(playground));
    const running = playground.run({ argv: ['touch', 'made'] }, { searchPath: bin(playground) });
    await expect(running).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      sentence: expect.stringContaining(process.platform === 'linux' ? 'bubblewrap is not installed' : 'Linux'),
      suggestion: expect.stringContaining(process.platform === 'linux' ? 'apt-get install bubblewrap' : 'Linux'),
    });
    expect(existsSync(path.join(playground.root, 'made'))).toBe(false);
  });

  it('with a bwrap of the project’s own in PATH: it is not the one that confines', async () => {
    using playground = new Playground();
    const own = path.join(playground.root, 'node_modules/.bin');
    mkdirSync(own, { recursive: true });
    writeFileSync(path.join(own, 'bwrap'), `#!/bin/sh\ntouch ${playground.base}/fooled\n`);
    chmodSync(path.join(own, 'bwrap'), 0o755);
    await expect(playground.run({ argv: ['true'] }, { searchPath: own })).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    expect(existsSync(path.join(playground.base, 'fooled'))).toBe(false);
  });

  it('with a bwrap that confines nothing: the probe finds out', async () => {
    using playground = new Playground();
    mkdirSync(bin(playground));
    for (const name of ['prlimit', 'setpriv']) symlinkSync(`/usr/bin/${name}`, path.join(bin(playground), name));
    // Runs what stands behind the last `--`, which is the command, in no box at all.
    writeFileSync(path.join(bin(playground), 'bwrap'), '#!/bin/sh\nwhile [ "$1" != "--nofile=256" ] && [ $# -gt 0 ]; do shift; done\nwhile [ "$1" != "--" ] && [ $# -gt 0 ]; do shift; done\nshift\nexec "$@"\n');
    chmodSync(path.join(bin(playground), 'bwrap'), 0o755);
    await expect(playground.run({ argv: ['touch', 'made'] }, { searchPath: bin(playground) })).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    expect(existsSync(path.join(playground.root, 'made'))).toBe(false);
  });

  it('switched off by the operator it runs as devs does, and says so', async () => {
    using playground = new Playground();
    const { outcome, stdout, enforcement } = await playground.run({ argv: ['sh', '-c', 'echo out; exit 4'] }, { config: { sandbox: { ...sandbox, tools: 'off' } } });
    expect({ exit: outcome.exit, stdout, enforcement }).toEqual({ exit: { kind: 'code', code: 4 }, stdout: 'out\n', enforcement: { by: 'none', guarantees: [] } });
  });
});
