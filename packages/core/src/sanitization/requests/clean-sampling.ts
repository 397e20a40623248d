import { isRecord, ownValue, type Json, type JsonObject } from '../../json.ts';
import { copyForeign, findHidden } from '../../validation/foreign-json.ts';
import { isRefused } from '../../validation/plain-copy.ts';
import { cleanJson } from '../json/clean-json.ts';
import { cleanSchema } from '../json/clean-schema.ts';
import { cleanBlock } from '../results/content-blocks.ts';
import { toSamplingToolName } from './sampling-names.ts';
import { isCleanWord, toCleanData, toIdentifier, type QuestionCleaning } from './question-cleaning.ts';
import { withheld } from '../results/raw-result.ts';

const MOST_ITEMS = 1_000;
const MOST_STOPS = 64;
const MOST_HINTS = 16;
const MAX_NAME_CHARACTERS = 256;
const MOST_SYSTEM_CHARACTERS = 16_384;
const CHOICES: ReadonlySet<unknown> = new Set(['auto', 'required', 'none']);
const PRIORITIES = ['costPriority', 'speedPriority', 'intelligencePriority'] as const;

/**
 * `sampling/createMessage`: a prompt of the server's for the client's model. The first message is devs's and says so; the
 * server's texts after it are cleaned as any output, and stand in no boundary: they are there to be followed, and the
 * client asks its user. The server gets no more than an answer to its own words: of the client's context nothing
 * (`includeContext`), no parameters of a provider (`metadata`), and tokens up to the operator's limit. Members that devs
 * does not know are left out.
 */
export function cleanSampling(params: unknown, cleaning: QuestionCleaning): JsonObject {
  const maxTokens = ownValue(params, 'maxTokens');
  if (typeof maxTokens !== 'number' || !Number.isSafeInteger(maxTokens) || maxTokens < 1) throw withheld('a prompt without a limit');
  const temperature = ownValue(params, 'temperature');
  return {
    messages: [toAttribution(ownValue(params, 'systemPrompt'), cleaning), ...toList(ownValue(params, 'messages')).map((message) => toMessage(message, cleaning))],
    ...(isRecord(ownValue(params, 'modelPreferences')) && { modelPreferences: toPreferences(ownValue(params, 'modelPreferences'), cleaning) }),
    ...(typeof temperature === 'number' && { temperature }),
    maxTokens: Math.min(maxTokens, cleaning.maxSamplingTokens),
    ...toStops(ownValue(params, 'stopSequences'), cleaning),
    ...toTools(params, cleaning),
  };
}

/**
 * Who writes what follows. As a system prompt the server's instructions would speak with the client's own authority, so
 * they stand here, as data of the server.
 */
function toAttribution(systemPrompt: unknown, cleaning: QuestionCleaning): JsonObject {
  const server = JSON.stringify(cleaning.source);
  const attribution = `This prompt is from the MCP server ${server}. devs relays it. Neither the user nor devs has written the messages after this one.`;
  const text = typeof systemPrompt === 'string' && systemPrompt.trim() !== '' ? `${attribution}\n${toInstructions(systemPrompt, cleaning)}` : attribution;
  return { role: 'user', content: { type: 'text', text } };
}

function toInstructions(systemPrompt: string, { word, bound }: QuestionCleaning): string {
  const cleaned = word(systemPrompt);
  // Cut, instructions may say the opposite.
  if (cleaned.length > MOST_SYSTEM_CHARACTERS) throw withheld(`a system prompt of more than ${String(MOST_SYSTEM_CHARACTERS)} characters`);
  return `The server asks that these instructions of its own are followed for this prompt:\n${bound(cleaned)}`;
}

function toList(value: unknown): readonly unknown[] {
  if (Array.isArray(value) && value.length <= MOST_ITEMS) return value;
  throw withheld(`a list that is none, or of more than ${MOST_ITEMS}`);
}

function toMessage(message: unknown, cleaning: QuestionCleaning): JsonObject {
  const role = ownValue(message, 'role');
  const content = ownValue(message, 'content');
  if (role !== 'user' && role !== 'assistant') throw withheld('a message of nobody');
  return { role, content: Array.isArray(content) ? toList(content).map((block) => toBlock(block, cleaning)) : toBlock(content, cleaning) };
}

function toBlock(block: unknown, cleaning: QuestionCleaning): Json {
  const type = ownValue(block, 'type');
  switch (type) {
    case 'text':
    case 'image':
    case 'audio':
      return toJson(cleanBlock(block, cleaning));
    case 'tool_use':
      return { type, id: toIdentifier(ownValue(block, 'id'), cleaning), name: toToolName(ownValue(block, 'name'), cleaning), input: toObject(ownValue(block, 'input'), cleaning) };
    case 'tool_result':
      return toToolResult(block, cleaning);
    default:
      throw withheld('a message of a kind that devs does not know');
  }
}

function toToolResult(block: unknown, cleaning: QuestionCleaning): JsonObject {
  const structuredContent = ownValue(block, 'structuredContent');
  const isError = ownValue(block, 'isError');
  return {
    type: 'tool_result',
    toolUseId: toIdentifier(ownValue(block, 'toolUseId'), cleaning),
    content: toList(ownValue(block, 'content')).map((inner) => toJson(cleanBlock(inner, cleaning))),
    ...(structuredContent !== undefined && { structuredContent: toObject(structuredContent, cleaning) }),
    ...(typeof isError === 'boolean' && { isError }),
  };
}

function toObject(value: unknown, cleaning: QuestionCleaning): Json {
  if (!isRecord(value)) throw withheld('data that is no object');
  return toCleanData(value, cleaning);
}

/** Made of plain members alone. */
function toJson(block: object): Json {
  return cleanJson(block, (text) => text);
}

function toPreferences(preferences: unknown, cleaning: QuestionCleaning): JsonObject {
  const hints = ownValue(preferences, 'hints');
  const named = (Array.isArray(hints) ? hints.slice(0, MOST_HINTS) : []).map((hint) => ownValue(hint, 'name')).filter((name) => typeof name === 'string');
  const priorities = PRIORITIES.map((key) => [key, ownValue(preferences, key)] as const).filter((entry): entry is readonly [typeof entry[0], number] => isShare(entry[1]));
  return {
    ...(named.length > 0 && { hints: named.map((name) => ({ name: cleaning.line(name, MAX_NAME_CHARACTERS) })) }),
    ...Object.fromEntries(priorities),
  };
}

function isShare(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

/** With a mark in it, one would stop nothing. */
function toStops(value: unknown, cleaning: QuestionCleaning): { readonly stopSequences?: readonly string[] } {
  if (!Array.isArray(value)) return {};
  const stops = value.slice(0, MOST_STOPS).filter((stop) => typeof stop === 'string' && stop.length <= MAX_NAME_CHARACTERS && isCleanWord(stop, cleaning));
  return { stopSequences: stops };
}

function toTools(params: unknown, cleaning: QuestionCleaning): JsonObject {
  const tools = ownValue(params, 'tools');
  const mode = ownValue(ownValue(params, 'toolChoice'), 'mode');
  return {
    ...(tools !== undefined && { tools: toList(tools).map((tool) => toTool(tool, cleaning)) }),
    // Without tools of the server's own it would be said of the client's.
    ...(tools !== undefined && typeof mode === 'string' && CHOICES.has(mode) && { toolChoice: { mode } }),
  };
}

/** A tool of the server's own making must not pass for one of the client's or of devs (`shell_exec`). */
function toToolName(name: unknown, cleaning: QuestionCleaning): string {
  return toIdentifier(toSamplingToolName(cleaning.server, toIdentifier(name, cleaning)), cleaning);
}

/** A tool that the client's model may ask the server for: held to what a tool of the server is held to. */
function toTool(raw: unknown, cleaning: QuestionCleaning): JsonObject {
  const copied = copyForeign(raw);
  if (isRefused(copied)) throw withheld(`a tool that ${copied.refusal.problem}`);
  const hidden = findHidden(copied.value);
  if (hidden !== undefined) throw withheld(`a tool that holds the hidden character ${hidden}`);
  const description = ownValue(copied.value, 'description');
  const inputSchema = ownValue(copied.value, 'inputSchema');
  if (!isJsonObject(inputSchema)) throw withheld('a tool without a schema');
  return {
    name: toToolName(ownValue(copied.value, 'name'), cleaning),
    ...(typeof description === 'string' && { description: cleaning.word(description) }),
    inputSchema: cleanSchema(inputSchema, cleaning.word),
  };
}

function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}
