import { Buffer } from 'node:buffer';
import type { SecretSpans } from './secret-spans.ts';

/** Units. A shorter value would be found in ordinary text. */
const SHORTEST_VALUE = 12;

/**
 * The forms in which one exact value may come back: as it is, in JSON, in a URL, in base64 at each of its three
 * alignments. It stops accidents; a server that wants to hide a value has a thousand other ways.
 */
export function formsOf(value: string): readonly string[] {
  if (value.length < SHORTEST_VALUE) return [];
  const inJson = JSON.stringify(value).slice(1, -1);
  const base64 = [0, 1, 2].map((offset) => base64Within(value, offset));
  const forms = [value, inJson, encodeURIComponent(value.toWellFormed()), ...base64, ...base64.map(toUrlAlphabet)];
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST_VALUE);
}

/** What base64 of any text with the value at this offset (of three) has in common: the units at its edges depend on its neighbours. */
function base64Within(value: string, offset: number): string {
  const bytes = Buffer.from(value, 'utf8');
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

function toUrlAlphabet(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}

/** Each place of each form. Native search: its cost depends on the number of values, which an operator chose. */
export function findInjected(text: string, forms: readonly string[], spans: SecretSpans): void {
  for (const form of forms) {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) spans.add(at, at + form.length, 'injected');
  }
}
