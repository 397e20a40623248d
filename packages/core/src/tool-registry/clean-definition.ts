import { DevsError } from '../errors.ts';
import { ownValue, type Json, type JsonObject } from '../json.ts';
import type { CleanString } from '../sanitization/json/clean-json.ts';
import { cleanSchema } from '../sanitization/json/clean-schema.ts';
import { decodeBase64 } from '../sanitization/results/base64.ts';
import { toCleanUri } from '../sanitization/results/links.ts';
import { isOfType, isToldType, toMediaType } from '../sanitization/results/media-types.ts';
import type { ToolDefinition } from './types.ts';

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;
const TASK_SUPPORT: ReadonlySet<unknown> = new Set(['forbidden', 'optional', 'required']);
const MOST_ICONS = 8;
const MAX_ICON_CHARACTERS = 65_536;
const ICON_SIZE = /^(?:\d{1,5}x\d{1,5}|any)$/;

/**
 * What is shown of a definition of somebody else's: made anew of the members that devs knows, with marks in the place
 * of boundary tags, triggers and secrets. `_meta` is not shown: clients act on it past the eyes of everybody. What
 * cannot have a mark refuses the tool, for nobody could call it then: its name, names of arguments, words that schemas
 * are made of. Throws `TOOL_NAME_REFUSED`, `TOOL_SCHEMA_REFUSED`.
 */
export function cleanDefinition(definition: ToolDefinition, clean: CleanString): ToolDefinition {
  const { name, title, description, inputSchema, outputSchema, annotations, icons, execution } = definition;
  if (clean(name) !== name) throw new DevsError('TOOL_NAME_REFUSED', { sentence: 'The name of the tool holds what devs would mask.' });
  const shownIcons = toIcons(icons ?? [], clean);
  return {
    name,
    ...(title !== undefined && { title: clean(title) }),
    ...(description !== undefined && { description: clean(description) }),
    inputSchema: cleanSchema(inputSchema, clean),
    ...(outputSchema !== undefined && { outputSchema: cleanSchema(outputSchema, clean) }),
    ...(annotations !== undefined && { annotations: toAnnotations(annotations, clean) }),
    ...(shownIcons.length > 0 && { icons: shownIcons }),
    ...(TASK_SUPPORT.has(execution?.['taskSupport']) && { execution: { taskSupport: execution?.['taskSupport'] ?? 'forbidden' } }),
  };
}

function toAnnotations(annotations: JsonObject, clean: CleanString): JsonObject {
  const shown: { [key: string]: Json } = {};
  const title = ownValue(annotations, 'title');
  if (typeof title === 'string') shown['title'] = clean(title);
  for (const hint of HINTS) {
    const value = ownValue(annotations, hint);
    if (typeof value === 'boolean') shown[hint] = value;
  }
  return shown;
}

/** Each as `toIcon` has it: at most eight. */
export function toIcons(icons: readonly Json[], clean: CleanString): readonly JsonObject[] {
  return icons.slice(0, MOST_ICONS).flatMap((icon) => toIcon(icon, clean));
}

/** None when the client would fetch it by another way than `https`, or run what it holds, or when something in it would be masked. */
function toIcon(icon: Json, clean: CleanString): readonly JsonObject[] {
  const src = toIconSource(ownValue(icon, 'src'), clean);
  if (src === undefined) return [];
  const mimeType = toMediaType(ownValue(icon, 'mimeType'));
  // Any other subtype is the words of a server.
  const isTold = mimeType !== undefined && mimeType.startsWith('image/') && isToldType(mimeType);
  const sizes = ownValue(icon, 'sizes');
  const shownSizes = Array.isArray(sizes) ? sizes.filter((size) => typeof size === 'string' && ICON_SIZE.test(size)) : [];
  return [{ src, ...(isTold && { mimeType }), ...(shownSizes.length > 0 && { sizes: shownSizes }) }];
}

const DATA_ICON = /^data:(image\/(?:png|jpeg|gif|webp));base64,/;

function toIconSource(src: unknown, clean: CleanString): string | undefined {
  if (typeof src !== 'string' || src.length > MAX_ICON_CHARACTERS) return undefined;
  const [prefix = '', type = ''] = DATA_ICON.exec(src) ?? [];
  if (prefix === '') return src.startsWith('https://') ? toCleanUri(src, (text) => clean(text) === text) : undefined;
  const bytes = decodeBase64(src.slice(prefix.length));
  return bytes !== undefined && isOfType(bytes, type) ? src : undefined;
}
