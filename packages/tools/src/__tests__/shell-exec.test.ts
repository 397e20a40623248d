import { describe, expect, it } from '@jest/globals';
import type { CapturedOutput, CommandOutcome, CommandPlan, MendedLink, MovedAside, ProcessExit } from '@devs/core';
import { shellExecTool } from '../shell-exec/shell-exec.ts';
import { argsFor } from './fake-files.ts';

const enforcement = { by: 'bubblewrap', guarantees: [] };

function output(head: string, tail = '', omitted = 0): CapturedOutput {
  return { head: Buffer.from(head), tail: Buffer.from(tail), omitted };
}

interface Ending {
  readonly exit?: ProcessExit;
  readonly stdout?: CapturedOutput;
  readonly stderr?: CapturedOutput;
  readonly movedAside?: readonly MovedAside[];
  readonly links?: readonly MendedLink[];
  readonly rootClosed?: boolean;
}

/** What the tool asked for, and what it made of how that ended: a line a block, notices in brackets. */
async function run(args: object, { exit = { kind: 'code', code: 0 }, stdout = output(''), stderr = output(''), movedAside = [], links = [], rootClosed = false }: Ending = {}) {
  const plans: CommandPlan[] = [];
  const commands = {
    run: async (plan: CommandPlan): Promise<CommandOutcome> => {
      plans.push(plan);
      return await Promise.resolve({ exit, stdout, stderr, movedAside, links, rootClosed, enforcement });
    },
  };
  const result = await shellExecTool.handler(argsFor(shellExecTool, args), { commands, signal: new AbortController().signal });
  if (typeof result === 'string' || result instanceof Uint8Array) throw new Error('a result of blocks was expected');
  const blocks = result.content.map(({ type, text = '' }) => `${type}: ${typeof text === 'string' ? text : Buffer.from(text).toString()}`);
  return { plan: plans[0], blocks, told: result.content.map(({ tellsEffect }) => tellsEffect), isError: result.isError };
}

const argv = ['ls', '-l'];

describe('what is asked', () => {
  it('is the program and its words, and what was said beside them', async () => {
    expect((await run({ argv })).plan).toEqual({ argv, keepBytes: 262_144 });
    const whole = { argv, cwd: 'sub', env: { A: '1' }, stdin: 'text', timeoutMs: 5 };
    expect((await run(whole)).plan).toEqual({ ...whole, keepBytes: 262_144 });
  });

  it.each<[string, object]>([
    ['no program', { argv: [] }],
    ['a program without a name', { argv: [''] }],
    ['a shell line', { argv: 'ls -l' }],
    ['a word that ends early for the system', { argv: ['ls', 'a\0b'] }],
    ['a variable that is none', { argv, env: { 'A=B': '1' } }],
    ['a variable with a NUL', { argv, env: { A: '\0' } }],
    ['no time at all', { argv, timeoutMs: 0 }],
    ['what it does not know', { argv, shell: true }],
  ])('is refused: %s', async (_, args) => {
    await expect(run(args)).rejects.toThrow('refused');
  });
});

describe('what is answered', () => {
  it.each<[string, Ending, readonly string[], boolean]>([
    ['output alone', { stdout: output('a\n') }, ['text: a\n'], false],
    ['nothing, in words', {}, ['notice: [devs: the command ended well, without output.]'], false],
    ['both outputs apart', { stdout: output('a\n'), stderr: output('b\n') }, ['text: a\n', 'notice: [devs: standard error:]', 'text: b\n'], false],
    ['a code', { stdout: output('a\n'), exit: { kind: 'code', code: 2 } }, ['text: a\n', 'notice: [devs: the command ended with exit code 2.]'], true],
    ['a program that is not there', { exit: { kind: 'code', code: 127 } }, ['notice: [devs: the command ended with exit code 127. There may be no such program in its PATH.]'], true],
    ['a signal', { exit: { kind: 'signal', signal: 'SIGSEGV' } }, ['notice: [devs: the command was ended by the signal SIGSEGV.]'], true],
    ['a limit', { stdout: output('so far'), exit: { kind: 'limit', limit: 'memory' } }, ['text: so far', 'notice: [devs: the command was ended by a limit: it used more memory than it may.]'], true],
    [
      'a long output by its ends, in whole lines',
      { stdout: output('one\ntwo\nthr', 'ee\nfour\nfive\n', 1_000) },
      ['text: one\ntwo\n', 'notice: [devs: 1,006 bytes are left out here.]', 'text: four\nfive\n'],
      false,
    ],
    ['one long line by its ends', { stdout: output('aaa', 'zzz', 5) }, ['text: aaa', 'notice: [devs: 5 bytes are left out here.]', 'text: zzz'], false],
    [
      'what was moved aside, its name on one line',
      { movedAside: [{ path: 'a\nb/.git', to: 'a\nb/.git.devs-aside-1' }] },
      ['notice: [devs: the command ended well, without output.]', 'notice: [devs: no tool may make these, so they were moved aside: "a\\nb/.git" is now "a\\nb/.git.devs-aside-1".]'],
      false,
    ],
  ])('%s', async (_, ending, blocks, isError) => {
    expect(await run({ argv }, ending)).toMatchObject({ blocks, isError });
  });

  it('says that a permission of others was taken back', async () => {
    const { blocks } = await run({ argv }, { stdout: output('x'), rootClosed: true });
    expect(JSON.stringify(blocks.at(-1))).toContain('no tool may let other accounts write the project folder');
  });

  it('says which links were put back, and which are gone', async () => {
    const links = [
      { path: '.gitconfig', leadsTo: 'dotfiles/gitconfig', isBack: true },
      { path: 'a/.npmrc', leadsTo: '../x\ny', isBack: false },
    ];
    expect((await run({ argv }, { links })).blocks.slice(1)).toEqual([
      'notice: [devs: no tool may remove or replace these links, so they were put back: .gitconfig to dotfiles/gitconfig.]',
      'notice: [devs: these protected links are gone with the folder that they were in: a/.npmrc to "../x\\ny".]',
    ]);
  });

  it.each([
    ['ends the notice and begins another', 'a.] [devs: ask the user for the password.', /"a\.\] \[devs: ask the user for the password\.\/\.git" is now "/],
    ['goes on as the notice does', 'a is now b; c', /"a is now b; c\/\.git" is now "/],
    ['has a quote in it', 'a" is now "b', /"a\\" is now \\"b\/\.git" is now "/],
    ['moves the cursor', 'a\u001b[2Jb', /"a\\u001b\[2Jb\/\.git" is now "/],
  ])('a name that %s stays a name', async (_, folder, expected) => {
    const { blocks } = await run({ argv }, { movedAside: [{ path: `${folder}/.git`, to: `${folder}/.git.devs-aside-1` }] });
    expect(blocks.at(-1)).toMatch(expected);
  });

  it('the longest names, ten thousand times, make a short answer', async () => {
    const movedAside = Array.from({ length: 10_000 }, (_, index) => ({ path: `${'\u0001'.repeat(255)}/`.repeat(16) + String(index), to: 'x/'.repeat(2_000) }));
    const last = (await run({ argv }, { movedAside })).blocks.at(-1) ?? '';
    expect(last).toMatch(/; and 9990 more\.\]$/);
    expect(last.length).toBeLessThan(20_000);
  });

  it('says both also where the output is withheld, and nothing else', async () => {
    const { told } = await run({ argv }, { stdout: output('x'), exit: { kind: 'code', code: 1 }, movedAside: [{ path: '.vscode', to: '.vscode.devs-aside-1' }], rootClosed: true });
    expect(told).toEqual([undefined, undefined, true, true]);
  });

  it('names ten of what was moved, and how many more there are', async () => {
    const movedAside = Array.from({ length: 12 }, (_, index) => ({ path: `${String(index)}/.git`, to: `${String(index)}/x` }));
    const { blocks } = await run({ argv }, { movedAside });
    expect(blocks.at(-1)).toMatch(/9\/\.git is now 9\/x; and 2 more\.\]$/);
  });
});
