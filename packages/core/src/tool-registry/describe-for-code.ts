import { isRecord, ownValue } from '../json.ts';
import type { RegisteredTool, ToolDefinition } from './types.ts';

/** Characters of all lines. */
const MOST = 4_000;
const MOST_MEMBERS = 20;
const MOST_LEVELS = 3;
const MOST_CHOICES = 8;

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]{0,63}$/;
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
/** A choice with a blank in it could be a sentence, and this text is devs's own to whoever reads it. */
const CHOICE = /^[A-Za-z0-9_-]{1,24}$/;
/** Code cannot call these: `guest` tools with a `then` would be a promise. */
const UNREACHABLE: ReadonlySet<string> = new Set(['then', 'toJSON']);

const TYPES: ReadonlyMap<unknown, string> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
  ['null', 'null'],
]);

/**
 * Tools as code calls them, one line each, as TypeScript would declare them; at most 4,000 characters, then how many more
 * there are. Made of names, types and structure alone: words of a foreign definition would stand in devs's own description.
 */
export function describeTools(tools: readonly Pick<ToolDefinition, 'name' | 'inputSchema'>[]): string {
  const lines = tools.filter(({ name }) => NAME.test(name) && !UNREACHABLE.has(name)).map(describeTool);
  let length = 0;
  const fits = lines.findIndex((line) => {
    length += line.length + 1;
    return length > MOST;
  });
  if (fits === -1) return lines.join('\n');
  return [...lines.slice(0, fits), `and ${String(lines.length - fits)} more`].join('\n');
}

/** What a tool is shown as, among those that are offered with it: one whose code calls the others says how. */
export function describeOffer({ definition, kind }: RegisteredTool, offered: readonly RegisteredTool[]): ToolDefinition {
  if (kind !== 'code') return definition;
  const callable = offered.filter((tool) => tool.kind !== 'code').map((tool) => tool.definition);
  const { description = '' } = definition;
  return { ...definition, description: `${description}\nTools:\n${describeTools(callable)}` };
}

function describeTool({ name, inputSchema }: Pick<ToolDefinition, 'name' | 'inputSchema'>): string {
  const place = IDENTIFIER.test(name) ? `tools.${name}` : `tools['${name}']`;
  const members = describeObject(inputSchema, 1);
  const line = `${place}(${members === '{}' ? '' : members}): Promise<string>`;
  return line.length <= MOST / 2 ? line : `${place}(object): Promise<string>`;
}

function describeType(schema: unknown, level: number): string {
  const choices = ownValue(schema, 'enum');
  if (Array.isArray(choices)) return describeChoices(choices);
  const type = ownValue(schema, 'type');
  if (type === 'array') return describeArray(ownValue(schema, 'items'), level);
  if (type === 'object') return level > MOST_LEVELS ? 'object' : describeObject(schema, level);
  return TYPES.get(type) ?? 'unknown';
}

function describeArray(items: unknown, level: number): string {
  const type = describeType(items, level + 1);
  return type.includes(' | ') ? `(${type})[]` : `${type}[]`;
}

function describeChoices(choices: readonly unknown[]): string {
  const words = choices.filter((choice) => typeof choice === 'string' && CHOICE.test(choice));
  return words.length === choices.length && words.length <= MOST_CHOICES ? words.map((word) => `'${String(word)}'`).join(' | ') : 'unknown';
}

function describeObject(schema: unknown, level: number): string {
  const properties = ownValue(schema, 'properties');
  if (!isRecord(properties)) return level === 1 ? '{}' : 'object';
  const listed = ownValue(schema, 'required');
  const required: ReadonlySet<unknown> = new Set(Array.isArray(listed) ? listed : []);
  const names = Object.keys(properties);
  const shown = names.filter((name) => IDENTIFIER.test(name)).slice(0, MOST_MEMBERS);
  const members = shown.map((name) => `${name}${required.has(name) ? '' : '?'}: ${describeType(ownValue(properties, name), level + 1)}`);
  if (shown.length < names.length) members.push('...');
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
