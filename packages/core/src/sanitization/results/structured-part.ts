import { Buffer } from 'node:buffer';
import { describeCause } from '../../errors.ts';
import type { Json } from '../../json.ts';
import type { ContentBlock } from '../../protocol/tool-result.ts';
import { cleanJson } from '../json/clean-json.ts';
import type { Tally } from '../pipeline/tally.ts';
import { createBoundaryId, idOfBoundary, type Wrapper } from '../steps/wrap.ts';
import { withheld } from './raw-result.ts';
import { fenceStructured } from './structured-fence.ts';

/** Units of raw text for each byte that may go out; cleaning makes little of much, but not nothing of all. */
const MOST_RAW_PER_BYTE = 8;
const LEAST_RAW_UNITS = 1_048_576;

export const TOO_LARGE = '[devs: the structured part was left out: it is too large.]';
export const UNFIT = '[devs: the structured part was left out: it does not fit the schema that the tool declares.]';
export const MISSING = '[devs: the server left out the structured part that the tool declares.]';
const TEXT_CUT = '[devs: the text of this result was cut; this object is whole.]';

/** The structured part of a result: what it came as, and what became of it or why it does not go out. */
export interface StructuredPart {
  readonly raw: unknown;
  readonly cleaned: Json;
  /** Of it as JSON, with its fence. 0 when it does not go out. */
  readonly bytes: number;
  /** True when cleaning changed something: only then can a text that says the same say something else now. */
  readonly isChanged: boolean;
  readonly problem: typeof TOO_LARGE | typeof UNFIT | undefined;
}

export interface StructuredSettings {
  /** Most bytes of it as JSON. */
  readonly most: number;
  /** Of them, what the fence takes. */
  readonly fenceBytes: number;
  readonly word: (text: string, name?: string) => string;
  /** Cleans the whole of it as a text. */
  readonly whole: (json: string) => string;
  readonly tally: Tally;
  readonly fitsSchema?: ((structured: Json) => boolean) | undefined;
}

/** Cleans names and values, then the whole as a text, and holds what came out to the schema of the tool. */
export function cleanStructuredPart(raw: unknown, settings: StructuredSettings): StructuredPart {
  const { most, fenceBytes, tally, fitsSchema } = settings;
  let isChanged = false;
  let unitsLeft = MOST_RAW_PER_BYTE * most + LEAST_RAW_UNITS;
  const word = (text: string, name?: string) => {
    // What is far too large goes out in no case: it need not be looked through to its end.
    if (unitsLeft < 0) return '';
    unitsLeft -= text.length;
    const cleaned = settings.word(text, name);
    isChanged ||= cleaned !== text;
    return cleaned;
  };
  const members = cleanJson(raw, word, tally);
  if (unitsLeft < 0) return { raw, cleaned: null, isChanged: false, bytes: 0, problem: TOO_LARGE };
  // As a text of the same words is read: what is a secret beside its neighbour there is one here, and a server sends both.
  // Members by themselves are known by names beside them (`pair-names.ts`); by more than that, as the name of an
  // object around them, `{"AccountKey":{"value":…}}`, only the rules of texts know them. A second list would not stay the same.
  const said = JSON.stringify(members);
  const json = settings.whole(said);
  const cleaned = json === said ? members : readJson(json);
  const bytes = Buffer.byteLength(json, 'utf8') + fenceBytes;
  const whole = { raw, cleaned, isChanged: isChanged || json !== said };
  if (bytes > most) return { ...whole, bytes: 0, problem: TOO_LARGE };
  const isFit = fitsSchema?.(cleaned) ?? true;
  return isFit ? { ...whole, bytes, problem: undefined } : { ...whole, bytes: 0, problem: UNFIT };
}

/** Cleaned as a text it is JSON still, or nobody knows what it says. @throws DevsError OUTPUT_WITHHELD */
function readJson(json: string): Json {
  try {
    return cleanJson(JSON.parse(json), (text) => text);
  } catch (cause) {
    throw withheld(`the structured part is no JSON once it is cleaned as a text: ${describeCause(cause)}`);
  }
}

const ANY_ID = '0'.repeat(12);

/** Bytes of JSON that a fence adds, without notices. */
export function bytesOfFence(wrapper: Wrapper): number {
  return Buffer.byteLength(JSON.stringify(fenceStructured(0, { boundary: wrapper.describe(ANY_ID) })), 'utf8');
}

export interface FenceSettings {
  readonly wrapper: Wrapper;
  readonly createId: () => string;
  /** Blocks of the same result, as they go out. */
  readonly content: readonly ContentBlock[];
  /** What devs says in them. */
  readonly notices: readonly string[];
  readonly isTextCut: boolean;
  readonly sign: (notice: string) => string;
  /** Bytes that notices may take. */
  readonly room: number;
}

/** What goes out of a structure that stands beside a bounded text. */
export function fencePart({ cleaned }: Pick<StructuredPart, 'cleaned'>, settings: FenceSettings): Json {
  const { wrapper, createId, content, notices, isTextCut, sign, room } = settings;
  const json = JSON.stringify(cleaned);
  const ofText = content.flatMap((block) => (block.type === 'text' || block.type === 'error' ? (idOfBoundary(block.text) ?? []) : []));
  const id = ofText.find((known) => !json.includes(known)) ?? createBoundaryId(json, createId);
  const said = [...new Set(notices), ...(isTextCut && notices.every((notice) => !notice.includes('read_more')) ? [sign(TEXT_CUT)] : [])];
  let left = room;
  const fitting = said.filter((notice) => {
    left -= Buffer.byteLength(JSON.stringify(notice), 'utf8') + ',"devs/notices":[]'.length;
    return left >= 0;
  });
  return fenceStructured(cleaned, { boundary: wrapper.describe(id), notices: fitting });
}
