import { DEFAULT_CONFIG } from '../config/defaults.ts';
import { DEFAULT_OUTPUT_CONFIG } from '../config/output-config.ts';
import { ownValue, type Json, type JsonObject } from '../json.ts';
import { OutputPolicy } from '../sanitization/output-policy.ts';
import { Tally } from '../sanitization/pipeline/tally.ts';
import { cleanText } from '../sanitization/pipeline/text-pipeline.ts';
import { MetaCleaner } from '../sanitization/results/clean-meta.ts';
import { toAnnotations } from '../sanitization/results/content-blocks.ts';
import { toCleanUri } from '../sanitization/results/links.ts';
import { isToldType, toMediaType } from '../sanitization/results/media-types.ts';
import { toIcons } from './clean-definition.ts';
import { listingRefused, parseForeignListing, type ListingKind } from './foreign-listing.ts';

export type ListingCleaner = (kind: ListingKind, raw: unknown) => JsonObject;

/**
 * Makes of what a server lists what may be shown of it: `parseForeignListing`, then marks in the place of boundary tags,
 * triggers and secrets. What it is asked for by cannot have a mark: such a listing is refused. Throws `TOOL_SCHEMA_REFUSED`.
 */
export function createListingCleaner(policy = new OutputPolicy({ sanitize: DEFAULT_CONFIG.sanitize })): ListingCleaner {
  // Triggers too, whatever the operator says of results: a list is read by every model that is shown it.
  const steps = policy.stepsFor({ name: '', labels: [] }, DEFAULT_OUTPUT_CONFIG, true);
  const clean = (text: string) => cleanText(text, steps, new Tally());
  return (kind, raw) => cleanListing(kind, parseForeignListing(kind, raw), clean);
}

type CleanText = (text: string) => string;

function cleanListing(kind: ListingKind, listing: JsonObject, clean: CleanText): JsonObject {
  const { name, annotations, icons, size } = listing;
  const list: unknown = listing['arguments'];
  if (typeof name !== 'string' || (kind === 'prompt' && clean(name) !== name)) throw masked(kind, 'name');
  const mimeType = toMediaType(listing['mimeType']);
  const hints = toAnnotations(annotations);
  const shownIcons = isList(icons) ? toIcons(icons, clean) : [];
  const meta = new MetaCleaner({ word: clean, tally: new Tally() }).clean(listing['_meta']);
  return {
    ...toAddress(kind, listing, clean),
    name: clean(name),
    ...cleanWords(listing, clean),
    ...(mimeType !== undefined && isToldType(mimeType) && { mimeType }),
    ...(size !== undefined && { size }),
    ...(Array.isArray(list) && { arguments: list.map((argument) => cleanArgument(argument, clean)) }),
    ...(hints !== undefined && { annotations: { ...hints } }),
    ...(shownIcons.length > 0 && { icons: shownIcons }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
}

function cleanWords(listing: unknown, clean: CleanText): JsonObject {
  const words = (['title', 'description'] as const).flatMap((key) => {
    const text = ownValue(listing, key);
    return typeof text === 'string' ? [[key, clean(text)] as const] : [];
  });
  return Object.fromEntries(words);
}

function cleanArgument(argument: unknown, clean: CleanText): JsonObject {
  const name = ownValue(argument, 'name');
  const required = ownValue(argument, 'required');
  if (typeof name !== 'string' || clean(name) !== name) throw masked('prompt', 'arguments');
  return { name, ...cleanWords(argument, clean), ...(typeof required === 'boolean' && { required }) };
}

/** As its server wrote it, or it would be another one there: `http://a` is asked for as `http://a`, not as `http://a/`. */
function toAddress(kind: ListingKind, { uri, uriTemplate }: JsonObject, clean: CleanText): JsonObject {
  if (kind === 'prompt') return {};
  if (kind === 'resource') return { uri: toUri(kind, uri, { clean, filled: uri }) };
  return { uriTemplate: toUri(kind, uriTemplate, { clean, filled: fill(uriTemplate) }) };
}

interface Address {
  readonly clean: CleanText;
  /** An address without gaps. */
  readonly filled: unknown;
}

function toUri(kind: ListingKind, written: unknown, { clean, filled }: Address): string {
  const isClean = (text: string) => clean(text) === text;
  const safe = toCleanUri(filled, isClean);
  // Nothing but ASCII that can be seen: what looks like another name is written out by whoever reads it.
  if (safe === undefined || typeof written !== 'string' || !/^[!-~]+$/.test(written) || !isClean(written)) {
    throw listingRefused(kind, 'its address is not one that can be passed on');
  }
  return written;
}

const EXPRESSION = /\{[+#./;?&]?[\w.%]+(?::\d{1,4}|\*)?(?:,[\w.%]+(?::\d{1,4}|\*)?)*\}/g;

/** RFC 6570, each of its expressions filled. Undefined: it is none, or a gap decides where it leads. */
function fill(template: unknown): string | undefined {
  if (typeof template !== 'string' || !/^[A-Za-z][A-Za-z\d+.-]*:/.test(template)) return undefined;
  // `file://{path}` means a path of this machine: there is no host of this name.
  const filled = template.replace(EXPRESSION, (_expression, start: number) => (/^file:\/\/$/i.test(template.slice(0, start)) ? '/x' : 'x'));
  return /[{}]/.test(filled) ? undefined : filled;
}

function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

function masked(kind: ListingKind, member: string): Error {
  return listingRefused(kind, `its ${member} holds what devs would mask`);
}
