import { Buffer } from 'node:buffer';
import { TextDecoder } from 'node:util';
import type { FetchedPage } from '@devs/core';

/** In which a page says how it is to be read (WHATWG HTML, "prescan a byte stream"). */
const PRESCAN_BYTES = 1_024;

const META = /<meta[\s/][^>]{0,256}?charset\s{0,8}=\s{0,8}["']?\s{0,8}([\w.:-]{1,40})/i;
const XML = /^\s{0,16}<\?xml\s[^>]{0,128}?encoding\s{0,8}=\s{0,8}["']([\w.:-]{1,40})/i;

/** Bytes that no text of one byte a letter holds (WHATWG MIME Sniffing, "binary data byte"). */
const NO_TEXT = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/;

const HTML_TYPES: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);
const HTML_START = /^(?:\ufeff|\u00ef\u00bb\u00bf)?\s{0,64}<(?:!doctype\s{1,8}html|html)[\s>]/i;

/** True for a page, also for one of which its server does not say so. */
export function isHtml({ mediaType, body }: FetchedPage): boolean {
  return HTML_TYPES.has(mediaType) || (mediaType === '' && HTML_START.test(startOf(body)));
}

/**
 * The text of a page: by its mark of byte order, by what its server says, by what it says itself, and else as UTF-8 or,
 * where it is none, as Windows-1252. Bytes, where the gate reads them in the same way itself: it also tells from them
 * what is no text.
 */
export function textOf(page: FetchedPage): string | Uint8Array {
  const { body, charset, truncated } = page;
  const decoder = hasMark(body) ? undefined : (decoderFor(charset) ?? decoderFor(declaredBy(page)) ?? guessedFor(page));
  if (decoder === undefined || decoder.encoding === 'utf-8') return body;
  // Of a page that was cut the last character may be there in part.
  return decoder.decode(body, { stream: truncated });
}

function hasMark([first, second, third]: Uint8Array): boolean {
  return (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe) || (first === 0xef && second === 0xbb && third === 0xbf);
}

/** Undefined for a name that no encoding has. */
function decoderFor(label: string | undefined): TextDecoder | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

function declaredBy(page: FetchedPage): string | undefined {
  const start = startOf(page.body);
  const label = (XML.exec(start) ?? (isHtml(page) ? META.exec(start) : null))?.[1];
  // What could be read this far is no UTF-16, whatever it says.
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label;
}

function guessedFor({ body, truncated }: FetchedPage): TextDecoder | undefined {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(body, { stream: truncated });
    return undefined;
  } catch {
    return NO_TEXT.test(startOf(body)) ? undefined : new TextDecoder('windows-1252');
  }
}

function startOf(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, PRESCAN_BYTES)).toString('latin1');
}
