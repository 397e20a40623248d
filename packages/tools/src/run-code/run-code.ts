import type { CodeEnd, CodeOutcome, RawContent, RawToolResult, ToolHandler, ToolRegistration } from '@devs/core';
import { integerArgument, stringArgument } from '../arguments.ts';
import { countOf } from '../count-of.ts';

const runCode: ToolHandler<'code'> = async (args, { code, tools, callTool, bound, signal }) => {
  const timeoutMs = args['timeoutMs'] === undefined ? {} : { timeoutMs: integerArgument(args, 'timeoutMs', 0) };
  // It cannot call itself: each run would begin with a budget of its own.
  const others = tools.filter((name) => name !== NAME);
  const outcome = await code.run({ code: stringArgument(args, 'code'), ...timeoutMs, tools: others, callTool, signal });
  if (outcome.sanitize === true) bound();
  return toCodeAnswer(outcome);
};

const NAME = 'run_code';

export const runCodeTool: ToolRegistration = {
  kind: 'code',
  definition: {
    name: NAME,
    title: 'Run code',
    description:
      'Runs JavaScript that calls tools: many calls, one answer. The code is the body of an async function; "await tools.name({...})" ' +
      'gives the text of a tool\'s answer, or throws. What it returns, or its last expression, is shown: a string as it is, ' +
      'anything else as JSON; so is what console.log prints. There are no files, no network, no modules and no timers but setTimeout. ' +
      '"__sanitize__ = True" puts the answer into a boundary.',
    inputSchema: {
      type: 'object',
      properties: {
        language: { type: 'string', enum: ['javascript'], description: 'The language of "code".' },
        code: { type: 'string', minLength: 1, maxLength: 200_000, description: 'Body of an async function.' },
        timeoutMs: { type: 'integer', minimum: 1, maximum: 3_600_000, description: 'Milliseconds until it is stopped, if that is less than it may take anyway.' },
      },
      required: ['language', 'code'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  },
  handler: runCode,
  effects: true,
  // What its calls bring, each under its own labels.
  labels: [],
  source: 'built-in',
};

/** What was printed, then the value or what was thrown; then, in devs's own words, what else there is to know. */
function toCodeAnswer({ end, printed, omitted, notices, calls }: CodeOutcome): RawToolResult {
  // Of a process that somebody else has spoken for nothing is shown.
  const isBroken = end.kind === 'broken';
  const texts = isBroken ? [] : [printed, textOf(end)].filter((text) => text !== '');
  const said = describeEnd(end, calls) ?? (texts.length === 0 && end.kind === 'value' ? describeNothing(end) : undefined);
  const left = omitted > 0 && !isBroken ? `${countOf(omitted, 'more character was', 'more characters were')} printed.` : undefined;
  const own = [said, left].filter((sentence) => sentence !== undefined).map((sentence) => `[devs: ${sentence}]`);
  const blocks: RawContent[] = texts.map((text) => ({ type: 'text', text }));
  return { isError: end.kind !== 'value', content: [...blocks, ...[...own, ...notices].map((text) => ({ type: 'notice', text }))] };
}

function textOf(end: CodeEnd): string {
  if (end.kind === 'value') return end.value ?? '';
  return end.kind === 'thrown' ? end.message : '';
}

/** An empty string is a value, too. */
function describeNothing({ isText }: Extract<CodeEnd, { kind: 'value' }>): string {
  return isText ? 'The code has returned an empty string.' : 'The code has returned nothing.';
}

function describeEnd(end: CodeEnd, calls: number): string | undefined {
  if (end.kind === 'broken') return 'The code broke what it ran in, so nothing of it is shown.';
  if (end.kind !== 'limit') return undefined;
  switch (end.limit) {
    case 'time':
      return 'The code was stopped: it took longer than it may.';
    case 'memory':
      return 'The code was stopped: it needs more memory than it may have. Keep less at once.';
    case 'calls':
      return `The code was stopped: it may make no more than ${countOf(calls, 'call', 'calls')} of tools.`;
    case 'stack':
      return 'The code was stopped: it calls itself too deep, or a value is nested too deep.';
    case 'output':
      return 'The code was stopped: it sends out more than it may. Return less, or pass less to tools.';
  }
}
