import type { InProcessHandler, ToolOfKind } from '@devs/core';
import { stringArgument } from '../arguments.ts';

/** Answers the rest of an output; what is again too long for one answer is cut, and kept, as any output. */
const readMore: InProcessHandler = async (args, capabilities) => {
  const handle = stringArgument(args, 'handle');
  return await Promise.resolve({ content: [{ type: 'text', text: capabilities.readMore(handle) }] });
};

export const readMoreTool: ToolOfKind<'in-process'> = {
  definition: {
    name: 'read_more',
    title: 'Read on',
    description:
      'Returns the next part of an output that was too long for one answer, by the handle that the answer named. ' +
      'It holds for some minutes, for you alone.',
    inputSchema: {
      type: 'object',
      properties: {
        handle: { type: 'string', minLength: 1, maxLength: 100, description: 'As the answer that was cut names it.' },
      },
      required: ['handle'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  handler: readMore,
  effects: false,
  labels: ['private'],
  source: 'built-in',
};
