import { Buffer } from 'node:buffer';
import type { SecretSpans } from './secret-spans.ts';

/** Units. A shorter value would be found in ordinary text. */
const SHORTEST_VALUE = 12;

/**
 * The forms in which one exact value may come back: as it is, as JSON, URLs and pages write it, in base64 at each of its
 * three alignments, in hexadecimal digits. For most values nearly all are one. It stops accidents; a server that wants to hide a value has a thousand other ways.
 */
export function formsOf(value: string): readonly string[] {
  if (value.length < SHORTEST_VALUE) return [];
  const base64 = [0, 1, 2].map((offset) => base64Within(value, offset));
  const hex = Buffer.from(value, 'utf8').toString('hex');
  const encoded = [...base64, ...base64.map(toUrlAlphabet), hex, hex.toUpperCase()];
  const forms = [value, ...formsInJson(value), ...formsInUrls(value.toWellFormed()), ...formsInPages(value), ...encoded];
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
    let at = text.indexOf(form);
    if (at === -1) continue;
    const period = periodOf(form);
    while (at !== -1) {
      const end = endOfRow(text, { form, period, end: at + form.length });
      spans.add(at, end, 'injected');
      // Two places are a period apart, or further.
      at = text.indexOf(form, end - form.length + period);
    }
  }
}

interface Row {
  readonly form: string;
  readonly period: number;
  /** Where the first place ends. */
  readonly end: number;
}

/** Places one period apart are one: of `aaaa…`, to look at each would cost the length of the value for each unit. */
function endOfRow(text: string, { form, period, end }: Row): number {
  if (period === form.length) return end;
  const next = form.slice(-period);
  let rowEnd = end;
  while (text.startsWith(next, rowEnd)) rowEnd += period;
  return rowEnd;
}

/** Units after which a text is itself again, as far as it goes: 1 of `aaa`, 2 of `ababa`, its length where its end is no beginning of it. */
function periodOf(text: string): number {
  const borders = new Uint32Array(text.length);
  let border = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (border > 0 && text[at] !== text[border]) border = borders[border - 1] ?? 0;
    if (text[at] === text[border]) border += 1;
    borders[at] = border;
  }
  return text.length - border;
}
