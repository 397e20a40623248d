import { Buffer } from 'node:buffer';
import type { SecretSpans } from './secret-spans.ts';

/** Units. A shorter value would be found in ordinary text. */
const SHORTEST_VALUE = 12;

/**
 * The forms in which one exact value may come back: as it is, as JSON, URLs and pages write it, in base64 at each of its
 * three alignments. For most values nearly all are one. It stops accidents; a server that wants to hide a value has a thousand other ways.
 */
export function formsOf(value: string): readonly string[] {
  if (value.length < SHORTEST_VALUE) return [];
  const base64 = [0, 1, 2].map((offset) => base64Within(value, offset));
  const forms = [value, ...formsInJson(value), ...formsInUrls(value.toWellFormed()), ...formsInPages(value), ...base64, ...base64.map(toUrlAlphabet)];
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST_VALUE);
}

/** JavaScript and Python; PHP, which escapes slashes; Go, which escapes what HTML reads; those that write ASCII alone. */
function formsInJson(value: string): readonly string[] {
  const plain = JSON.stringify(value).slice(1, -1);
  const ascii = plain.replace(/[^\x20-\x7e]/g, toEscape);
  return [plain, ascii].flatMap((form) => [form, form.replaceAll('/', '\\/'), form.replace(/[&<>]/g, toEscape)]);
}

function toEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** As JavaScript, Python (`quote`, also with its slashes), Java and forms encode; digits in capitals, or as .NET writes them. */
function formsInUrls(value: string): readonly string[] {
  const component = encodeURIComponent(value);
  const strict = component.replace(/[!'()*]/g, (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase()}`);
  const withSlashes = strict.replaceAll('%2F', '/');
  const inCapitals = [component, strict, withSlashes, strict.replaceAll('%20', '+'), encodeURI(value)];
  return inCapitals.flatMap((form) => [form, form.replace(/%../g, (code) => code.toLowerCase())]);
}

function formsInPages(value: string): readonly string[] {
  const least = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = least.replaceAll('"', '&quot;');
  return [least, quoted, ...['&#39;', '&#x27;', '&#039;', '&apos;'].map((entity) => quoted.replaceAll("'", entity))];
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
