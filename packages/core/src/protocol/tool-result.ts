import type { Json } from '../json.ts';

export interface TextContent {
  /** `error` is seed 003's word, kept inside; the wire alone maps it to `text` with `isError`. */
  readonly type: 'text' | 'error';
  readonly text: string;
}

/** What a call gives back. */
export interface ToolResult {
  readonly content: readonly TextContent[];
  readonly isError?: boolean;
  readonly structuredContent?: Json;
  readonly _meta?: { readonly [key: string]: Json };
}

/** A block as a tool hands it over: of any kind, its text perhaps bytes. Only sanitization looks inside. */
export interface RawContent {
  readonly type: string;
  readonly text?: string | Uint8Array;
  readonly [key: string]: unknown;
}

export interface RawToolResult {
  readonly content: readonly RawContent[];
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
}

/** Dirty: whatever a tool gave back, before sanitization. */
export type RawToolOutput = Uint8Array | string | RawToolResult;
