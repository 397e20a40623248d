import type { AvailableTool } from '../llm-response.ts';

export const schema = {
  type: 'object',
  properties: { path: { type: 'string' }, limit: { type: 'integer' } },
  required: ['path'],
  additionalProperties: false,
};
export const tools = new Map<string, AvailableTool>([
  ['read_file', { inputSchema: schema }],
  ['write_file', { input_schema: schema }],
  ['search', { parameters: schema, mode: 'lenient' }],
  ['bare', {}],
]);

export const call = (more: object = {}) => ({ type: 'tool_use', id: 'c1', name: 'read_file', input: { path: 'a' }, ...more });
export const answer = (content: unknown, stop: unknown = 'tool_use') => ({ role: 'assistant', content, stop_reason: stop });
export const chat = (message: object, reason = 'tool_calls') => ({ choices: [{ message: { role: 'assistant', ...message }, finish_reason: reason }] });
