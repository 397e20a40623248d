import type { Buffer } from 'node:buffer';
import { DevsError } from '../../errors.ts';
import { isRecord, ownValue, type JsonObject } from '../../json.ts';
import type { BlobResource, BlockAnnotations, ContentBlock, TextContent, TextResource } from '../../protocol/tool-result.ts';
import type { Tally } from '../pipeline/tally.ts';
import { decodeBase64, mostBytesOf } from './base64.ts';
import { toCleanUri } from './links.ts';
import { isKnownMedia, isOfType, isTextBytes, isTextType, isToldType, toMediaType } from './media-types.ts';

/** How the parts of a block are cleaned. */
export interface BlockCleaning {
  /** A whole text, or the bytes of one. */
  text(raw: string | Uint8Array): string;
  /** A text that stays on one line, at most so long. */
  line(text: string, maxCharacters: number): string;
  /** A block with devs's own words, which stands outside every boundary. */
  notice(text: string): TextContent;
  /** `_meta` of a block or a file. */
  meta(raw: unknown): JsonObject;
  /** Whether blocks say whose words they are: those of a prompt, and of no tool. */
  readonly hasRoles: boolean;
  readonly tally: Tally;
  /** Most bytes of an image, a sound or a file, decoded. */
  readonly maxBytes: number;
}

const LINK_MARK = '[REDACTED:link]';
const UNKNOWN_KIND = '[devs: content of an unknown kind was left out]';

const MAX_NAME_CHARACTERS = 256;
const MAX_DESCRIPTION_CHARACTERS = 2_000;

/**
 * A block as it may go out: of a kind that MCP knows, made anew of the members that devs knows, each cleaned or
 * checked. What cannot be checked becomes a text that says what was left out. Throws `OUTPUT_WITHHELD` for a text
 * block without a text.
 */
export function cleanBlock(block: unknown, cleaning: BlockCleaning): ContentBlock {
  // The very block: whoever made a notice knows it again.
  return Object.assign(toBlock(block, cleaning), membersOf(block, cleaning));
}

function toBlock(block: unknown, cleaning: BlockCleaning): ContentBlock {
  const type = ownValue(block, 'type');
  switch (type) {
    case 'text':
    case 'error':
      return { type, text: toText(ownValue(block, 'text'), cleaning) };
    case 'image':
    case 'audio':
      return toMedia(type, block, cleaning);
    case 'resource':
      return toResource(ownValue(block, 'resource'), cleaning);
    case 'resource_link':
      return toLink(block, cleaning);
    default:
      return leftOut(UNKNOWN_KIND, 'unknown-kind', cleaning);
  }
}

function toText(text: unknown, cleaning: BlockCleaning): string {
  if (typeof text === 'string' || text instanceof Uint8Array) return cleaning.text(text);
  throw new DevsError('OUTPUT_WITHHELD', { cause: new Error('a text block has no text') });
}

function toMedia(type: 'image' | 'audio', block: unknown, cleaning: BlockCleaning): ContentBlock {
  const mimeType = toMediaType(ownValue(block, 'mimeType'));
  const data = ownValue(block, 'data');
  const bytes = toBytes(data, cleaning);
  if (typeof data !== 'string' || bytes === undefined || mimeType === undefined) return mediaLeftOut(type, mimeType, cleaning);
  // SVG and HTML are programs and texts, whatever a reader of pictures calls them.
  if (isTextType(mimeType) && isTextBytes(bytes)) return { type: 'text', text: cleaning.text(bytes) };
  if (!mimeType.startsWith(`${type}/`) || !isOfType(bytes, mimeType)) return mediaLeftOut(type, mimeType, cleaning);
  return { type, data, mimeType };
}

function toBytes(data: unknown, { maxBytes }: BlockCleaning): Buffer | undefined {
  if (typeof data !== 'string' || mostBytesOf(data) > maxBytes + 2) return undefined;
  const bytes = decodeBase64(data);
  return bytes === undefined || bytes.length > maxBytes ? undefined : bytes;
}

function toResource(resource: unknown, cleaning: BlockCleaning): ContentBlock {
  const content = toContent(resource, cleaning);
  if (content === undefined) return mediaLeftOut('file', toMediaType(ownValue(resource, 'mimeType')), cleaning);
  const uri = toUri(ownValue(resource, 'uri'), cleaning);
  if (uri !== undefined) return { type: 'resource', resource: { uri, ...content, ...metaOf(resource, cleaning) } };
  // Its text is clean and is what was asked for; only the address goes.
  return 'text' in content ? { type: 'text', text: `${LINK_MARK}\n${content.text}` } : cleaning.notice(`[devs: a file was left out: ${LINK_MARK}]`);
}

type ResourceContent = Omit<TextResource, 'uri'> | Omit<BlobResource, 'uri'>;

/** Undefined when it is neither text nor a file that can be checked. */
function toContent(resource: unknown, cleaning: BlockCleaning): ResourceContent | undefined {
  const type = toMediaType(ownValue(resource, 'mimeType'));
  const mimeType = type === undefined || !isToldType(type) ? {} : { mimeType: type };
  const text = ownValue(resource, 'text');
  if (typeof text === 'string') return { ...mimeType, text: cleaning.text(text) };
  const blob = ownValue(resource, 'blob');
  const bytes = toBytes(blob, cleaning);
  if (typeof blob !== 'string' || bytes === undefined) return undefined;
  // A type that says nothing says nothing against text either.
  const isText = type === undefined || type === 'application/octet-stream' || isTextType(type);
  if (isText) return isTextBytes(bytes) ? { ...mimeType, text: cleaning.text(bytes) } : undefined;
  return isOfType(bytes, type) ? { mimeType: type, blob } : undefined;
}

function toLink(block: unknown, cleaning: BlockCleaning): ContentBlock {
  const uri = toUri(ownValue(block, 'uri'), cleaning);
  if (uri === undefined) return cleaning.notice(`[devs: a link was left out: ${LINK_MARK}]`);
  const mimeType = toMediaType(ownValue(block, 'mimeType'));
  const size = ownValue(block, 'size');
  return {
    type: 'resource_link',
    uri,
    name: toLine(ownValue(block, 'name'), MAX_NAME_CHARACTERS, cleaning) ?? '',
    ...optional('title', toLine(ownValue(block, 'title'), MAX_NAME_CHARACTERS, cleaning)),
    ...optional('description', toLine(ownValue(block, 'description'), MAX_DESCRIPTION_CHARACTERS, cleaning)),
    ...optional('mimeType', mimeType !== undefined && isToldType(mimeType) ? mimeType : undefined),
    ...optional('size', Number.isSafeInteger(size) && Number(size) >= 0 ? withoutSign(Number(size)) : undefined),
  };
}

/** JSON has no -0: a block that holds one would be another on the wire. */
function withoutSign(number: number): number {
  return number === 0 ? 0 : number;
}

function toUri(value: unknown, cleaning: BlockCleaning): string | undefined {
  const uri = toCleanUri(value, (text) => cleaning.line(text, text.length) === text);
  if (uri === undefined) cleaning.tally.add('links', 'uri');
  return uri;
}

function toLine(value: unknown, maxCharacters: number, cleaning: BlockCleaning): string | undefined {
  return typeof value === 'string' ? cleaning.line(value, maxCharacters) : undefined;
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { readonly [Member in Key]?: Value } {
  const member: { [Member in Key]?: Value } = {};
  if (value !== undefined) member[key] = value;
  return member;
}

/** Says the kind by a name of devs's own list alone: another could be a sentence. */
function mediaLeftOut(kind: 'image' | 'audio' | 'file', mimeType: string | undefined, cleaning: BlockCleaning): TextContent {
  const declared = mimeType !== undefined && isKnownMedia(mimeType) ? ` of type ${mimeType}` : '';
  return leftOut(`[devs: ${kind}${declared} was left out: its data could not be checked]`, `${kind}-left-out`, cleaning);
}

function leftOut(text: string, rule: string, cleaning: BlockCleaning): TextContent {
  cleaning.tally.add('content', rule);
  return cleaning.notice(text);
}

type Members = Pick<TextContent, 'role' | 'annotations' | '_meta'>;

function membersOf(block: unknown, cleaning: BlockCleaning): Members {
  const role = ownValue(block, 'role');
  return {
    ...optional('role', cleaning.hasRoles && (role === 'user' || role === 'assistant') ? role : undefined),
    ...optional('annotations', toAnnotations(ownValue(block, 'annotations'))),
    ...metaOf(block, cleaning),
  };
}

function metaOf(value: unknown, cleaning: BlockCleaning): { readonly _meta?: JsonObject } {
  const meta = cleaning.meta(ownValue(value, '_meta'));
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}

/** RFC 3339, or a date; fractions of a second at most nine digits. */
const TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** Each hint by itself, when it is one. */
export function toAnnotations(value: unknown): BlockAnnotations | undefined {
  if (!isRecord(value)) return undefined;
  const audience = toAudience(ownValue(value, 'audience'));
  const priority = ownValue(value, 'priority');
  const lastModified = ownValue(value, 'lastModified');
  const annotations = {
    ...optional('audience', audience),
    ...optional('priority', typeof priority === 'number' && priority >= 0 && priority <= 1 ? withoutSign(priority) : undefined),
    ...optional('lastModified', typeof lastModified === 'string' && TIME.test(lastModified) ? lastModified : undefined),
  };
  return Object.keys(annotations).length === 0 ? undefined : annotations;
}

function toAudience(value: unknown): readonly ('user' | 'assistant')[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > 2) return undefined;
  const audience = (['user', 'assistant'] as const).filter((role) => value.includes(role));
  return audience.length === value.length ? audience : undefined;
}
