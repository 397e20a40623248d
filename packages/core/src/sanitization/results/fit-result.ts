import { Buffer } from 'node:buffer';
import type { OutputConfig } from '../../config/output-config.ts';
import { TRUNCATION_SENTINEL } from '../../protocol/text.ts';
import { describeBlock, type ContentBlock, type TextContent } from '../../protocol/tool-result.ts';
import { fitBudget } from './fit.ts';

/** A cleaned block on its way out. A notice is devs's own word, and stands outside every boundary. */
export interface CleanBlock {
  readonly block: ContentBlock;
  readonly isNotice: boolean;
}

export interface FitSettings {
  readonly config: Pick<OutputConfig, 'maxSizeBytes' | 'truncationMessage' | 'strategy'>;
  /** Most characters (UTF-16 units) of all blocks as `describeBlock` shows them. Absent: bytes alone count. */
  readonly maxCharacters?: number | undefined;
  /** What is left of the hard cap, in bytes: for text of any tool, and for what is no text. */
  readonly hardCap: number;
  /** Bytes that wrapping adds to a text. */
  readonly wrapperBytes: number;
  readonly wrap: (text: string) => string;
  /** Makes of a notice what only devs can say. */
  readonly sign: (notice: string) => string;
  /** The words of a configuration, which stand in the output as devs's own. */
  readonly clean: (message: string) => string;
  /** What no piece may end with: `fit.ts`. */
  readonly avoid?: ((piece: string) => number | undefined) | undefined;
  /** The text was asked to be JSON: pages of it are that, one behind the other, and hold no words of devs. */
  readonly isJson?: boolean | undefined;
  /** Keeps what is cut off; undefined when it cannot. Absent: nothing is kept. */
  readonly keep?: ((rest: string) => string | undefined) | undefined;
}

export interface FittedResult {
  readonly content: readonly ContentBlock[];
  readonly truncated: boolean;
  /** What devs says in the content, in its order. */
  readonly notices: readonly string[];
  /** Text was cut off, and nobody can read it on. */
  readonly isLost: boolean;
}

/** Bytes that the notice of a cut may take. A budget below twice as many leaves so many to the output, and the notice comes on top. */
const NOTICE_BYTES = 256;
const CUT = '[devs: the output was cut.]';

/**
 * Fits the blocks of one result into its budget, and puts the text into its boundary. What is cut off is kept, and the
 * answer always says that it was cut: only the hard cap is stronger than that.
 */
export function fitResult(blocks: readonly CleanBlock[], settings: FitSettings): FittedResult {
  const { config, hardCap, keep, sign, maxCharacters = Number.POSITIVE_INFINITY } = settings;
  // NaN would be no limit.
  if (!(maxCharacters >= 0)) throw new RangeError('maxCharacters is a whole number, 0 or more.');
  const bytes = Math.min(config.maxSizeBytes, hardCap);
  const whole = fitWithin(blocks, settings, budgetFor(blocks, settings, { bytes, characters: maxCharacters }));
  if (whole.rest === undefined || hardCap < NOTICE_BYTES || maxCharacters < 2 * NOTICE_BYTES) return whole;
  const withRoom = { ...settings, hardCap: hardCap - NOTICE_BYTES };
  const room = Math.max(bytes - NOTICE_BYTES, Math.min(bytes, NOTICE_BYTES, withRoom.hardCap));
  const shorter = fitWithin(blocks, withRoom, budgetFor(blocks, withRoom, { bytes: room, characters: maxCharacters - NOTICE_BYTES }));
  const handle = keep?.(shorter.rest ?? '');
  if (handle !== undefined) return withNotice(shorter, sign(`[devs: the output goes on. Call read_more with "handle": "${handle}" to read the rest of it.]`));
  return whole.isSaid ? whole : withNotice(shorter, sign(CUT), true);
}

function withNotice({ content, notices }: Fitted, notice: string, isLost = false): FittedResult {
  return { truncated: true, content: [...content, { type: 'text', text: notice }], notices: [...notices, notice], isLost };
}

/** Bytes that the budget found may be below the largest that fits. */
const SEARCH_STEP = 64;

/**
 * The budget in bytes at which the blocks hold at most so many characters. Searched for, not computed: how many bytes a
 * character takes differs from one part of a text to the next. A budget of as many bytes as characters always fits.
 */
function budgetFor(blocks: readonly CleanBlock[], settings: FitSettings, { bytes, characters }: { readonly bytes: number; readonly characters: number }): number {
  const fits = (budget: number) => charactersOf(fitWithin(blocks, settings, budget).content) <= characters;
  if (bytes <= characters || fits(bytes)) return bytes;
  let [least, most] = [characters, bytes];
  while (most - least > SEARCH_STEP) {
    const middle = Math.floor((least + most) / 2);
    if (fits(middle)) least = middle;
    else most = middle;
  }
  return least;
}

function charactersOf(content: readonly ContentBlock[]): number {
  return content.reduce((sum, block) => sum + describeBlock(block).length, 0);
}

interface Fitted extends FittedResult {
  /** Undefined: nothing was cut off. */
  readonly rest: string | undefined;
  /** Where something was cut off stands the whole message that says so. */
  readonly isSaid: boolean;
}

function fitWithin(all: readonly CleanBlock[], settings: FitSettings, budget: number): Fitted {
  const { blocks, noticeBytes } = dropNotices(all.map((block) => signBlock(block, settings)), budget);
  const leftOut: TextContent = { type: 'text', text: settings.sign(LEFT_OUT) };
  const content: ContentBlock[] = [];
  const notices: string[] = [];
  const rest: string[] = [];
  let isSaid = false;
  let hardLeft = settings.hardCap - noticeBytes;
  let isLeftOut = false;
  // What devs says comes last and is needed most.
  let left = budget - noticeBytes;
  for (const { block, isNotice } of blocks) {
    const text = textOf(block);
    if (isNotice) {
      content.push(block);
      notices.push(text ?? '');
    } else if (text === undefined) {
      const size = Buffer.byteLength(JSON.stringify(block), 'utf8');
      // A link is words for the model, as a text is; an image is not counted by its bytes.
      const isWords = block.type === 'resource_link';
      if (size > Math.min(hardLeft, isWords ? left : hardLeft)) {
        const said = isLeftOut || hardLeft < leftOut.text.length ? [] : [leftOut];
        content.push(...said);
        notices.push(...said.map((notice) => notice.text));
        left -= said.length * leftOut.text.length;
        hardLeft -= said.length * leftOut.text.length;
        isLeftOut = true;
        continue;
      }
      content.push(block);
      hardLeft -= size;
      left -= isWords ? size : 0;
    } else {
      // The address of a resource is words too.
      left -= addressBytes(block);
      const fitted = fitText(text, settings, Math.min(left, hardLeft));
      // An empty shell for each of a thousand blocks that do not fit would cost more than they say.
      if (left > 0 || content.length === 0) content.push(withText(block, fitted.text));
      isSaid ||= fitted.isSaid;
      left -= fitted.bytes;
      hardLeft -= fitted.bytes;
      if (fitted.rest !== undefined) rest.push(fitted.rest);
    }
  }
  return { content, notices, truncated: isLeftOut || rest.length > 0, rest: rest.length === 0 ? undefined : rest.join('\n'), isSaid, isLost: rest.length > 0 };
}

const LEFT_OUT = '[devs: a part was left out: it is too large.]';

function signBlock({ block, isNotice }: CleanBlock, { sign }: FitSettings): CleanBlock {
  const text = isNotice ? textOf(block) : undefined;
  return text === undefined ? { block, isNotice } : { block: withText(block, sign(text)), isNotice };
}

interface FittedBlock {
  readonly text: string;
  readonly bytes: number;
  readonly rest: string | undefined;
  readonly isSaid: boolean;
}

function fitText(text: string, settings: FitSettings, left: number): FittedBlock {
  const { config, hardCap, wrapperBytes, wrap } = settings;
  const message = settings.isJson === true ? '' : config.maxSizeBytes < hardCap ? settings.clean(config.truncationMessage) : TRUNCATION_SENTINEL.trimStart();
  const strategy = settings.isJson === true ? 'head' : config.strategy;
  const maxBytes = Math.max(0, left - wrapperBytes);
  const fitted = fitBudget(text, { maxBytes, message, strategy, avoid: settings.avoid });
  // A boundary that does not fit stands around nothing: there is no room for a text either.
  if (left < wrapperBytes) return { text: '', bytes: 0, rest: fitted.rest, isSaid: false };
  const isSaid = fitted.rest !== undefined && message !== '' && Buffer.byteLength(message, 'utf8') <= maxBytes;
  return { text: wrap(fitted.text), bytes: wrapperBytes + Buffer.byteLength(fitted.text, 'utf8'), rest: fitted.rest, isSaid };
}

/** What a model reads of a block; undefined of one that is no text. */
export function textOf(block: ContentBlock): string | undefined {
  if (block.type === 'text' || block.type === 'error') return block.text;
  return block.type === 'resource' && 'text' in block.resource ? block.resource.text : undefined;
}

/** A block that has a text, with another one. */
export function withText(block: ContentBlock, text: string): ContentBlock {
  if (block.type === 'text' || block.type === 'error') return { ...block, text };
  return block.type === 'resource' && 'text' in block.resource ? { ...block, resource: { ...block.resource, text } } : block;
}

function addressBytes(block: ContentBlock): number {
  return block.type === 'resource' ? Buffer.byteLength(block.resource.uri, 'utf8') : 0;
}

/** A budget that has no room for what devs says has none for much else: what was done is told by fields too. */
function dropNotices(all: readonly CleanBlock[], budget: number): { readonly blocks: readonly CleanBlock[]; readonly noticeBytes: number } {
  let noticeBytes = 0;
  const blocks = all.filter(({ block, isNotice }) => {
    if (!isNotice) return true;
    const bytes = Buffer.byteLength(textOf(block) ?? '', 'utf8');
    if (noticeBytes + bytes > budget) return false;
    noticeBytes += bytes;
    return true;
  });
  return { blocks, noticeBytes };
}
