import type { CapturedOutput, CommandPlan, ProcessExit, RawContent, ToolHandler, ToolOfKind, ValidatedArgs } from '@devs/core';
import { stringArgument } from '../arguments.ts';
import { effectNotice, effectNotices } from '../effect-notices.ts';
import { placePath } from '../path-argument.ts';

const LINE_FEED = 0x0a;

/** An output as it is shown: all of it, or its beginning and its end, in whole lines, and how much is missing between them. */
function outputBlocks({ head, tail, omitted }: CapturedOutput): readonly RawContent[] {
  if (omitted === 0) {
    const whole = Buffer.concat([head, tail]);
    return whole.length === 0 ? [] : [{ type: 'text', text: whole }];
  }
  const [begin, cutOff] = untilLastLine(head);
  const [skipped, end] = fromFirstLine(tail);
  const missing = omitted + cutOff + skipped;
  return [
    { type: 'text', text: begin },
    { type: 'notice', text: `[devs: ${missing.toLocaleString('en-US')} bytes are left out here.]` },
    { type: 'text', text: end },
  ];
}

/** Of a single line without an end the whole: half of it is more than nothing. */
function untilLastLine(bytes: Uint8Array): readonly [kept: Uint8Array, dropped: number] {
  const end = bytes.lastIndexOf(LINE_FEED) + 1;
  return end === 0 ? [bytes, 0] : [bytes.subarray(0, end), bytes.length - end];
}

function fromFirstLine(bytes: Uint8Array): readonly [dropped: number, kept: Uint8Array] {
  const start = bytes.indexOf(LINE_FEED) + 1;
  return [start, bytes.subarray(start)];
}

const LIMITS = {
  wall: 'it took longer than it may. Ask for more time with "timeoutMs", or for less work at once',
  output: 'it wrote more output than anybody can read. Write it to a file, or ask for less',
  memory: 'it used more memory than it may',
  processes: 'it needed more processes than it may have',
} as const;

/** How a command ended. Undefined where there is nothing to say: it ended well, and its output shows it. */
function describeExit(exit: ProcessExit, isSilent: boolean): string | undefined {
  switch (exit.kind) {
    case 'code':
      if (exit.code !== 0) return `[devs: the command ended with exit code ${String(exit.code)}.${hintFor(exit.code)}]`;
      return isSilent ? '[devs: the command ended well, without output.]' : undefined;
    case 'signal':
      return `[devs: the command was ended by the signal ${exit.signal}.]`;
    case 'limit':
      return `[devs: the command was ended by a limit: ${LIMITS[exit.limit]}.]`;
    case 'cancelled':
      return '[devs: the command was cancelled.]';
    case 'setup':
      return '[devs: the command could not be started.]';
  }
}

/** What shells and prlimit say when they cannot run a program. */
function hintFor(code: number): string {
  if (code === 127) return ' There may be no such program in its PATH.';
  return code === 126 ? ' The program may not be executable.' : '';
}

const ROOT_CLOSED = '[devs: no tool may let other accounts write the project folder, so that permission was taken back.]';

/** Of each output: a budget cuts it further, and what that cuts off can be read on. */
const KEEP_BYTES = 262_144;

/** Answers the outputs, each cut in its middle where it is long, and how the command ended where that is worth a word. */
const shellExec: ToolHandler<'command'> = async (args, { commands }) => {
  const { exit, stdout, stderr, movedAside, links = [], rootClosed = false } = await commands.run(toPlan(args));
  const blocks = [...outputBlocks(stdout), ...labelled('[devs: standard error:]', outputBlocks(stderr))];
  const ended = describeExit(exit, blocks.length === 0);
  const notices: readonly RawContent[] = [...(ended === undefined ? [] : [{ type: 'notice', text: ended }]), ...effectNotices({ movedAside, links }), ...(rootClosed ? [effectNotice(ROOT_CLOSED)] : [])];
  return { content: [...blocks, ...notices], isError: exit.kind !== 'code' || exit.code !== 0 };
};

function labelled(label: string, blocks: readonly RawContent[]): readonly RawContent[] {
  return blocks.length === 0 ? [] : [{ type: 'notice', text: label }, ...blocks];
}

function toPlan(args: ValidatedArgs): CommandPlan {
  const { argv, env, cwd, stdin, timeoutMs } = args;
  return {
    argv: toArgv(argv),
    keepBytes: KEEP_BYTES,
    ...(cwd !== undefined && { cwd: stringArgument(args, 'cwd') }),
    ...(stdin !== undefined && { stdin: stringArgument(args, 'stdin') }),
    ...(env !== undefined && { env: toEnvironment(env) }),
    ...(typeof timeoutMs === 'number' && { timeoutMs }),
  };
}

/** The schema has asked for all of this: here it only becomes a type. */
function toArgv(value: unknown): readonly [string, ...string[]] {
  const [program = '', ...rest] = Array.isArray(value) ? value.map(String) : [];
  return [program, ...rest];
}

function toEnvironment(value: unknown): Readonly<Record<string, string>> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(entries.map(([name, text]) => [name, String(text)]));
}

/** No NUL: for the system it ends a text that for everybody else goes on. */
const TEXT = { type: 'string', pattern: '^[^\\u0000]*$' } as const;

export const shellExecTool: ToolOfKind<'command'> = {
  kind: 'command',
  definition: {
    name: 'shell_exec',
    title: 'Run a command',
    description:
      'Runs one program in the project folder, in a sandbox: it can write the project and /tmp, read the installed programs, ' +
      'and reaches no network unless the operator has allowed hosts. "argv" is the program and its arguments, not a shell line: for pipes and ' +
      'globs use ["sh", "-c", "…"]. .git and configuration files of editors are read-only; to commit use git_commit. All of its ' +
      'processes end with the call. An exit code other than 0, a signal or a limit makes the answer an error, with both outputs.',
    inputSchema: {
      type: 'object',
      properties: {
        argv: {
          type: 'array',
          minItems: 1,
          maxItems: 1_000,
          items: { ...TEXT, maxLength: 131_071 },
          prefixItems: [{ ...TEXT, minLength: 1, maxLength: 4_096 }],
          description: 'The program and its arguments.',
        },
        cwd: placePath('The folder to run it in'),
        env: {
          type: 'object',
          maxProperties: 100,
          propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$' },
          additionalProperties: { ...TEXT, maxLength: 32_768 },
          description: 'Variables beside PATH, HOME=/tmp, TMPDIR and LANG, which are all that it gets.',
        },
        stdin: { type: 'string', maxLength: 1_048_576, description: 'What it reads from standard input. Default: nothing.' },
        timeoutMs: { type: 'integer', minimum: 1, maximum: 86_400_000, description: 'Milliseconds until it is ended, counted from when it is called: other commands of the project run first. Default, and most: what the operator has set for tools.' },
      },
      required: ['argv'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  },
  handler: shellExec,
  effects: true,
  labels: ['private'],
  source: 'built-in',
};
