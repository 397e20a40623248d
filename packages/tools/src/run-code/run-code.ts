import type { ToolHandler, ToolRegistration } from '@devs/core';
import { integerArgument, stringArgument } from '../arguments.ts';
import { toCodeAnswer } from './code-answer.ts';

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
