import { isRecord, ownValue, type Json, type JsonObject } from '../../json.ts';
import { copyForeign, findHidden } from '../../validation/foreign-json.ts';
import { isRefused } from '../../validation/plain-copy.ts';
import { cleanSchema } from '../json/clean-schema.ts';
import { withheld } from '../results/raw-result.ts';
import { isOneLine, toDialogLine } from './dialog-text.ts';
import { isLabelOfAnother, speaksAsAnother } from './other-voices.ts';
import type { QuestionCleaning } from './question-cleaning.ts';

/** Fields of one form: enough of them push who asks out of sight. */
const MOST_FIELDS = 64;
const MOST_CHOICES = 500;
const MOST_NAME_CHARACTERS = 128;
const MOST_VALUE_CHARACTERS = 1_000;
const MOST_TITLE_CHARACTERS = 200;
const MOST_DESCRIPTION_CHARACTERS = 1_000;
/** Times its longest form that a label is looked at as it came. */
const MOST_LOOKED_AT = 8;

/** Members of a field (MCP 2025-11-25, PrimitiveSchemaDefinition) whose values are numbers, `true`, `false` or one word. */
const RULES: ReadonlySet<string> = new Set(['type', 'format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'uniqueItems']);

/**
 * The form of a question, as a dialog shows it. What is read beside a field is on one line and does not speak as devs or
 * as another server: such a title, description or name of a choice is left out, and the client shows the field's own
 * name. What the answer has to repeat, names of fields and values, withholds the question instead.
 * @throws DevsError OUTPUT_WITHHELD, TOOL_SCHEMA_REFUSED
 */
export function cleanForm(raw: unknown, cleaning: QuestionCleaning): JsonObject {
  const copied = copyForeign(raw);
  if (isRefused(copied)) throw withheld(`a form that ${copied.refusal.problem}`);
  const form = copied.value;
  if (!isForm(form)) throw withheld('a form that is none');
  const hidden = findHidden(form);
  if (hidden !== undefined) throw withheld(`a form that holds the hidden character ${hidden}`);
  const { $schema, properties, required } = cleanSchema(form, cleaning.word);
  const fields = Object.entries(isObject(properties) ? properties : {});
  if (fields.length > MOST_FIELDS) throw withheld(`a form of more than ${String(MOST_FIELDS)} fields`);
  return {
    ...(typeof $schema === 'string' && /^https?:\/\/json-schema\.org\/[\w./#-]{1,64}$/.test($schema) && { $schema }),
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [toShownName(name), toField(field, cleaning)])),
    ...(Array.isArray(required) && { required: required.filter((name) => typeof name === 'string' && fields.some(([field]) => field === name)) }),
  };
}

function isForm(form: Json): form is JsonObject & { readonly properties: JsonObject } {
  const properties = ownValue(form, 'properties');
  return ownValue(form, 'type') === 'object' && isRecord(properties) && Object.values(properties).every(isRecord);
}

/** A field, one of its choices, or the schema of the items of a list. */
function toField(field: Json, cleaning: QuestionCleaning): JsonObject {
  const members = Object.entries(isObject(field) ? field : {});
  return Object.fromEntries(members.flatMap(([key, value]): [string, Json][] => {
    const shown = toMember(key, value, cleaning);
    return shown === undefined ? [] : [[key, shown]];
  }));
}

/** Undefined: it is left out. */
function toMember(key: string, value: Json, cleaning: QuestionCleaning): Json | undefined {
  switch (key) {
    case 'title':
      return toShown(value, MOST_TITLE_CHARACTERS, cleaning);
    case 'description':
      return toShown(value, MOST_DESCRIPTION_CHARACTERS, cleaning);
    case 'enumNames':
      return toShownNames(value, cleaning);
    case 'enum':
      return toList(value).map(toValue);
    case 'const':
      return toValue(value);
    case 'default':
      return toDefault(value);
    case 'oneOf':
    case 'anyOf':
      return toList(value).map((choice) => toField(choice, cleaning));
    case 'items':
      return toField(value, cleaning);
    default:
      return RULES.has(key) && typeof value !== 'object' && isShownValue(value) ? value : undefined;
  }
}

/** Undefined for what speaks in the voice of another. */
function toShown(value: Json, maxCharacters: number, cleaning: QuestionCleaning): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = cleaning.dialogLine(value, maxCharacters);
  // Also as it came: cleaning takes away what parted two words.
  const raw = toDialogLine(value.slice(0, MOST_LOOKED_AT * maxCharacters));
  return line === '' || isLabelOfAnother(raw) || isLabelOfAnother(line) ? undefined : line;
}

/** They stand in the order of the values: without one of them none is of use. */
function toShownNames(names: Json, cleaning: QuestionCleaning): readonly string[] | undefined {
  const shown = toList(names).map((name) => toShown(name, MOST_TITLE_CHARACTERS, cleaning));
  return shown.every((name) => name !== undefined) ? shown : undefined;
}

function toDefault(value: Json): Json | undefined {
  if (Array.isArray(value)) return toList(value).every(isShownValue) ? value : undefined;
  return isShownValue(value) ? value : undefined;
}

function toValue(value: Json): Json {
  if (!isShownValue(value)) throw withheld('a form with a value that cannot be shown as it is');
  return value;
}

/** A value is shown where it has no name, and goes back to the server as it is. */
function isShownValue(value: Json): boolean {
  if (typeof value !== 'string') return typeof value !== 'object' || value === null;
  return isShownAsItIs(value, MOST_VALUE_CHARACTERS);
}

function toShownName(name: string): string {
  if (name === '' || !isShownAsItIs(name, MOST_NAME_CHARACTERS)) throw withheld('a form with the name of a field that cannot be shown as it is');
  return name;
}

function isShownAsItIs(text: string, maxCharacters: number): boolean {
  return text.length <= maxCharacters && isOneLine(text) && !speaksAsAnother(text);
}

function toList(value: Json): readonly Json[] {
  if (isList(value) && value.length <= MOST_CHOICES) return value;
  throw withheld(`a form with choices that are none, or more than ${String(MOST_CHOICES)}`);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json | undefined): value is JsonObject {
  return isRecord(value);
}
