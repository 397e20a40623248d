import type { ToolResult } from '@devs/core';
import { describeValue } from './describe-value.ts';
import { isPlainJson } from './is-plain-json.ts';
import type { StoredForm } from '../chain/stored-form.ts';

/** Most bytes of UTF-8 that a stored input or output takes, each. */
export const STORED_JSON_CAP_BYTES = 262_144;

/** The key under which a stored text says that it is not the value itself. */
const MARK_KEY = 'devs/stored';

export interface StoredJson {
  /** Valid JSON, at most `STORED_JSON_CAP_BYTES`. */
  readonly text: string;
  readonly form: StoredForm;
  /** Of the value's JSON, all of it. */
  readonly originalBytes: number;
}

interface Mark {
  readonly form: StoredForm;
  readonly capBytes: number;
  /** Of the value's JSON. */
  readonly originalBytes: number;
}

/** Builds what is stored when the value itself is not; `preview` is the start of its JSON. */
type Substitute = (mark: Mark, preview: string) => unknown;

function exactText(value: unknown): string | undefined {
  try {
    return isPlainJson(value, STORED_JSON_CAP_BYTES) ? JSON.stringify(value) : undefined;
  } catch {
    // A proxy that throws, a getter that answers differently the second time.
    return undefined;
  }
}

function describedText(value: unknown): string {
  return JSON.stringify(describeValue(value));
}

function substituteText(substitute: Substitute, mark: Mark, original: string): string {
  let characters = STORED_JSON_CAP_BYTES;
  for (;;) {
    const preview = original.slice(0, characters).toWellFormed();
    const text = JSON.stringify(substitute(mark, preview));
    // Quotes and backslashes of the preview are escaped again, other alphabets take three bytes.
    if (Buffer.byteLength(text) <= STORED_JSON_CAP_BYTES) return text;
    characters = Math.floor(Math.min(characters, original.length) * 0.75);
  }
}

function toStored(value: unknown, substitute: Substitute): StoredJson {
  const exact = exactText(value);
  const text = exact ?? describedText(value);
  const originalBytes = Buffer.byteLength(text);
  if (exact !== undefined && originalBytes <= STORED_JSON_CAP_BYTES) return { text, form: 'exact', originalBytes };
  const form = exact === undefined ? 'described' : 'truncated';
  const mark = { form, capBytes: STORED_JSON_CAP_BYTES, originalBytes } as const;
  return { text: substituteText(substitute, mark, text), form, originalBytes };
}

/**
 * A tool's arguments as JSON. Beyond the cap, or when JSON cannot carry them, an object of `preview`
 * (the start of their JSON) and `devs/stored`: `{ form, capBytes, originalBytes }`. Never throws.
 */
export function toStoredInput(value: unknown): StoredJson {
  return toStored(value, (mark, preview) => ({ [MARK_KEY]: mark, preview }));
}

/** The same for an answer; its substitute is still a `ToolResult`, so that readers need no special case. */
export function toStoredOutput(result: ToolResult): StoredJson {
  return toStored(result, (mark, preview) => ({
    content: [{ type: 'text', text: preview }],
    _meta: { [MARK_KEY]: mark },
  }));
}
