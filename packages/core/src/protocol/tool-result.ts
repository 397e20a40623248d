import type { Json, JsonObject } from '../json.ts';

/** Hints for whoever shows a block. A claim of its author: nothing is decided by it. */
export interface BlockAnnotations {
  readonly audience?: readonly ('user' | 'assistant')[];
  /** 0 to 1. */
  readonly priority?: number;
  /** ISO 8601, a time with its zone or a date. */
  readonly lastModified?: string;
}

interface BlockMembers {
  /** Whose words a block of a prompt is. Stands in no result of a tool. */
  readonly role?: 'user' | 'assistant';
  readonly annotations?: BlockAnnotations;
  readonly _meta?: JsonObject;
}

export interface TextContent extends BlockMembers {
  /** `error` is seed 003's word, kept inside; the wire alone maps it to `text` with `isError`. */
  readonly type: 'text' | 'error';
  readonly text: string;
}

export interface ImageContent extends BlockMembers {
  readonly type: 'image';
  /** Base64 (RFC 4648, section 4). */
  readonly data: string;
  readonly mimeType: string;
}

export interface AudioContent extends BlockMembers {
  readonly type: 'audio';
  /** Base64 (RFC 4648, section 4). */
  readonly data: string;
  readonly mimeType: string;
}

interface ResourceMembers {
  readonly uri: string;
  readonly mimeType?: string;
  readonly _meta?: JsonObject;
}

export interface TextResource extends ResourceMembers {
  readonly text: string;
}

export interface BlobResource extends ResourceMembers {
  /** Base64 (RFC 4648, section 4). */
  readonly blob: string;
}

export interface EmbeddedResource extends BlockMembers {
  readonly type: 'resource';
  readonly resource: TextResource | BlobResource;
}

export interface ResourceLink extends BlockMembers {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** Bytes. */
  readonly size?: number;
}

/** A part of an answer, in MCP's form but for `error`. */
export type ContentBlock = TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink;

/** What a server asks of the client before a call can go on. */
export interface Question {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params?: JsonObject;
}

/** A call that stands still until its client has answered: MCP's `input_required`. */
export interface InputRequired {
  /** By keys of the server's. May be none: the client is then to ask again. */
  readonly inputRequests: Readonly<Record<string, Question>>;
  /** What the client brings back as it is. Sealed by devs, base64url. */
  readonly requestState?: string;
}

/** An error of the protocol that a server has answered with. Its words are the content of the result. */
export interface AnsweredError {
  readonly code: number;
  readonly data?: Json;
}

/** What a call gives back. */
export interface ToolResult {
  readonly protocolError?: AnsweredError;
  /** The call is not at its end: it goes on when it is made again with what is asked for here. */
  readonly inputRequired?: InputRequired;
  readonly content: readonly ContentBlock[];
  readonly isError?: boolean;
  readonly structuredContent?: Json;
  readonly _meta?: JsonObject;
}

/** A block as a tool hands it over: of any kind, its text perhaps bytes. Only sanitization looks inside. */
export interface RawContent {
  readonly type: string;
  readonly text?: string | Uint8Array;
  /** Bytes of `text` that are meant to be shown, where it holds more: what is masked by its neighbours is seen with them. */
  readonly shown?: { readonly start: number; readonly end: number };
  /** How `text` is to be read where it is a piece of a file, whose start alone tells it. */
  readonly encoding?: 'utf-8' | 'utf-16le' | 'utf-16be';
  /** `html`: `text` is a page, whatever it begins with, and goes out as its reader would see it. Of devs's own tools alone. */
  readonly markup?: 'html';
  /** True of a notice of devs's own tools that says what was changed: it goes out with the error too when the output is withheld. */
  readonly tellsEffect?: boolean;
  readonly [key: string]: unknown;
}

export interface RawToolResult {
  /** Of tools of the kind `upstream` alone. */
  readonly protocolError?: { readonly code: unknown; readonly data?: unknown };
  /** As `InputRequired`, nothing of it checked but that devs has sealed its state. Of tools of the kind `upstream` alone. */
  readonly inputRequired?: { readonly inputRequests: unknown; readonly requestState?: string };
  readonly _meta?: unknown;
  readonly content: readonly RawContent[];
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
}

/** Dirty: whatever a tool gave back, before sanitization. */
export type RawToolOutput = Uint8Array | string | RawToolResult;

/**
 * A block for a reader of text: its text, or in square brackets what it is. The rest of a line that says what it is
 * are words of devs and what was cleaned; the data of images and files is never in it.
 * @example
 * ```ts
 * import { describeBlock } from '@devs/core';
 * console.log(describeBlock({ type: 'text', text: 'hello' })); // hello
 * ```
 */
export function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
    case 'error':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}: ${block.mimeType}, ${decodedBytes(block.data)} bytes]`;
    case 'resource_link':
      return `[link: ${block.uri}]`;
    case 'resource':
      return describeResource(block.resource);
  }
}

function describeResource(resource: TextResource | BlobResource): string {
  if ('text' in resource) return resource.text;
  return `[file: ${resource.mimeType ?? 'of no known type'}, ${decodedBytes(resource.blob)} bytes]`;
}

/** Of well-formed base64. */
function decodedBytes(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return (data.length / 4) * 3 - padding;
}
