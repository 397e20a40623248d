import { Buffer } from 'node:buffer';
import { DEFAULT_OUTPUT_CONFIG, type OutputConfig } from '../config/output-config.ts';
import { DevsError } from '../errors.ts';
import { isRecord, type Json, type JsonObject } from '../json.ts';
import type { AnsweredError, ContentBlock, TextContent, ToolResult } from '../protocol/tool-result.ts';
import { isEncoding } from '../protocol/decode.ts';
import type { OutputReader } from '../protocol/output-reader.ts';
import { isSafeText, type KnownText } from '../protocol/output-sanitizer.ts';
import { cleanProtocolError } from './requests/clean-protocol-error.ts';
import { cleanInputRequired } from './requests/clean-input-required.ts';
import { MetaCleaner } from './results/clean-meta.ts';
import { markOverEdges } from './results/marks-over-edges.ts';
import { cleanLine, type ShortCleaning } from './requests/clean-short.ts';
import { cleanBlock, type BlockCleaning } from './results/content-blocks.ts';
import { triggerAtEnd } from './steps/cut-triggers.ts';
import { fitResult, textOf, type CleanBlock, type FittedResult } from './results/fit-result.ts';
import { twinOf } from './json/json-text.ts';
import { createQuestionCleaning, type QuestionCleaning } from './requests/question-cleaning.ts';
import { describeDropped, describeMasked, toNotice } from './results/result-notices.ts';
import { readRawResult, withheld, type RawParts } from './results/raw-result.ts';
import type { SanitizationContext, SanitizationReport } from './results/sanitization-context.ts';
import { Tally } from './pipeline/tally.ts';
import { TextCleaner } from './text-cleaner.ts';
import { toOneLine } from './pipeline/one-line.ts';
import { bytesOfFence, cleanStructuredPart, fencePart, MISSING, TOO_LARGE, UNFIT, type StructuredPart } from './results/structured-part.ts';
import { WordsOutside } from './results/words-outside.ts';
import { signNotice } from './steps/wrap.ts';

/** Where counts of what was cleaned are told to machines. */
export const SANITIZATION_META_KEY = 'devs/sanitization';

/** Blocks beyond this are dropped: each costs the reader and the wire more than its bytes. */
const MAX_BLOCKS = 1_000;

/** Texts that are held against the structured part. */
const MAX_TWINS = 3;

const UNASKED = '[OUTPUT WITHHELD: the tool asks its client something, and there is nobody here who may be asked]';

/** Cleans one result; made for it alone. */
export class ResultCleaner {
  readonly #config: OutputConfig;
  readonly #context: SanitizationContext;
  readonly #tally = new Tally();
  readonly #reader: OutputReader;
  readonly #texts: TextCleaner;
  readonly #blocks: BlockCleaning;
  readonly #meta: MetaCleaner;
  readonly #short: ShortCleaning;
  readonly #ownWords = new WeakSet<ContentBlock>();
  #twinsLeft = MAX_TWINS;
  /** True when a text of the tool's own says something, beside its structured part. */
  #saysSomething = false;
  /** True when a piece of a file is shown, which somebody may want to write back. */
  #showsFile = false;

  constructor(config: OutputConfig, context: SanitizationContext, reader: OutputReader) {
    const { steps } = context;
    const tally = this.#tally;
    this.#config = config;
    this.#context = context;
    this.#reader = reader;
    this.#texts = new TextCleaner({ reader, config, steps, tally });
    const word = (text: string, name?: string) => this.#safeForJson(this.#texts.word(text, name));
    this.#meta = new MetaCleaner({ word, structured: (json) => this.#texts.structured(json), tally }, reader.maxBytes);
    this.#short = { word, isForeign: context.authorship === 'foreign' };
    this.#blocks = {
      text: (raw) => this.#textOf(raw),
      line: (text, maxCharacters) => this.#lineOf(text, maxCharacters),
      notice: (text) => this.#noticeOf(text),
      meta: (raw) => this.#meta.clean(raw),
      hasRoles: context.hasRoles === true,
      tally,
      maxBytes: reader.maxBytes,
    };
  }

  clean(raw: unknown): { readonly result: ToolResult; readonly report: SanitizationReport } {
    const parts = readRawResult(raw);
    if (parts.inputRequired !== undefined) return this.#ask(parts);
    // Before the blocks: what a result says of itself is not crowded out by what they say.
    const meta = this.#meta.clean(parts.meta);
    const protocolError = this.#toProtocolError(parts.protocolError);
    const structured = parts.structuredContent === undefined ? undefined : this.#cleanStructured(parts.structuredContent);
    const structuredBytes = this.#isDropped ? 0 : (structured?.bytes ?? 0);
    this.#meta.keepWithin(this.#reader.maxBytes - structuredBytes);
    const cleaned = this.#orEmpty(this.#cleanBlocks(parts.blocks, structured), structured);
    const isMissing = this.#isMissing(parts);
    const blocks = [...cleaned, ...this.#asText(structured), ...this.#noticesOf(isMissing ? MISSING : structured?.problem, parts.blocks.length - MAX_BLOCKS)];
    const fitted = this.#fit(blocks, structuredBytes);
    const isCut = fitted.truncated || this.#texts.isCapped || parts.blocks.length > MAX_BLOCKS || structured?.problem === TOO_LARGE;
    const report = { truncated: isCut, counts: this.#tally.counts, findings: this.#tally.findings };
    return { result: this.#toResult({ ...parts, meta, protocolError, isMissing }, structured, { fitted, report }), report };
  }

  /** Only a server speaks the protocol. */
  #toProtocolError(raw: unknown): AnsweredError | undefined {
    const { asker } = this.#context;
    return asker === undefined || raw === undefined ? undefined : cleanProtocolError(raw, this.#cleaningFor(asker));
  }

  /** The call stands still until its client has answered: there is nothing to be read yet. */
  #ask({ inputRequired: raw, meta }: RawParts): { readonly result: ToolResult; readonly report: SanitizationReport } {
    const { asker } = this.#context;
    if (asker === undefined) throw new DevsError('OUTPUT_WITHHELD', { sentence: UNASKED });
    const inputRequired = cleanInputRequired(raw, this.#cleaningFor(asker));
    if (this.#texts.isCapped) throw withheld('a question that is longer than devs reads');
    const report = { truncated: false, counts: this.#tally.counts, findings: this.#tally.findings };
    return { result: { content: [], inputRequired, ...toMeta(this.#meta.clean(meta), report) }, report };
  }

  /** Of what a server asks. */
  #cleaningFor(asker: string): QuestionCleaning {
    return createQuestionCleaning(asker, { context: this.#context, blocks: this.#blocks, short: this.#short });
  }

  /** A name or a title may stand outside the boundary: it must not sound like devs there. */
  #lineOf(text: string, maxCharacters: number): string {
    return cleanLine(text, maxCharacters, this.#short);
  }

  #noticeOf(text: string): TextContent {
    const notice: TextContent = { type: 'text', text };
    this.#ownWords.add(notice);
    return notice;
  }

  #cleanBlocks(blocks: readonly unknown[], structured: StructuredPart | undefined): readonly CleanBlock[] {
    const { wrapper, hasRoles, steps } = this.#context;
    const cleaned: CleanBlock[] = [];
    const outside = new WordsOutside({ boundsResources: hasRoles !== true, join: (lines) => this.#textOf(lines.join('\n')) });
    for (let index = 0; index < Math.min(blocks.length, MAX_BLOCKS); index += 1) {
      const block = this.#cleanBlock(blocks[index], structured);
      this.#saysSomething ||= !block.isNotice && (textOf(block.block) ?? '') !== '';
      cleaned.push(...(wrapper === undefined ? [block] : outside.takeIn(block)));
    }
    return markOverEdges(cleaned, steps, { tally: this.#tally, work: this.#texts.work });
  }

  /** An answer that says nothing stands in a boundary too: that nothing was said is what it says. */
  #orEmpty(blocks: readonly CleanBlock[], structured: StructuredPart | undefined): readonly CleanBlock[] {
    const { wrapper, hasRoles, authorship } = this.#context;
    const isEmpty = structured === undefined && (blocks.length === 0 || (authorship === 'own' && blocks.every(({ isNotice }) => isNotice)));
    return wrapper === undefined || hasRoles === true || !isEmpty ? blocks : [{ isNotice: false, block: { type: 'text', text: '' } }, ...blocks];
  }

  #cleanBlock(block: unknown, structured: StructuredPart | undefined): CleanBlock {
    if (!isRecord(block)) throw withheld('a content block is not an object');
    if (this.#context.authorship === 'own') {
      const { type, text, shown, encoding, markup } = block;
      if (type === 'notice') return toNotice(toOneLine(this.#texts.word(String(text))));
      if (isRange(shown) && text instanceof Uint8Array) {
        this.#showsFile = true;
        return { isNotice: false, block: { type: 'text', text: this.#safeForJson(this.#texts.cleanPiece(text, shown, isEncoding(encoding) ? encoding : undefined)) } };
      }
      if (markup === 'html' && (typeof text === 'string' || text instanceof Uint8Array)) {
        return { isNotice: false, block: { type: 'text', text: this.#textOf(text, markup) } };
      }
    }
    const cleaned = cleanBlock(block, this.#blocks);
    return { isNotice: this.#ownWords.has(cleaned), block: this.#withTwin(cleaned, block['text'], structured) };
  }

  /**
   * The text that says the same as the structured part says it after cleaning too: the two must not disagree. Looked for
   * in a few texts alone: each look reads all of the structured part, and a server may send a thousand texts.
   */
  #withTwin(block: ContentBlock, rawText: unknown, structured: StructuredPart | undefined): ContentBlock {
    if (structured === undefined || !structured.isChanged || block.type !== 'text' || typeof rawText !== 'string') return block;
    if (!/^\s{0,16}[{[]/.test(rawText) || this.#twinsLeft === 0) return block;
    this.#twinsLeft -= 1;
    const twin = twinOf({ raw: rawText, cleaned: block.text }, structured);
    return twin === undefined ? block : { ...block, text: this.#textOf(twin) };
  }

  #textOf(raw: string | Uint8Array, markup?: 'html'): string {
    if (raw === this.#context.page) return this.#safeForJson(raw);
    const cleaned = this.#texts.clean(raw, markup);
    return this.#safeForJson(cleaned.text, cleaned);
  }

  /** The last look at a text that goes out, whatever sanitizer and steps made it. */
  #safeForJson(text: string, known?: KnownText): string {
    const { logger, toolName, taskId, turnIndex } = this.#context;
    if (isSafeText(text, known)) return text;
    logger.warn('OUTPUT_NOT_SAFE_FOR_JSON', { tool_name: toolName, task_id: taskId, turn_index: turnIndex });
    return text.toWellFormed();
  }

  #cleanStructured(raw: unknown): StructuredPart {
    const { fitsSchema, wrapper, structured } = this.#context;
    return cleanStructuredPart(raw, {
      most: Math.min(this.#config.maxSizeBytes, this.#reader.maxBytes - this.#meta.bytes),
      fenceBytes: wrapper !== undefined && structured === 'fence' ? bytesOfFence(wrapper) : 0,
      word: (text, name) => this.#safeForJson(this.#texts.word(text, name)),
      whole: (json) => this.#texts.structured(json),
      tally: this.#tally,
      fitsSchema,
    });
  }

  /** @param dropped blocks that were not looked at; none, when it is not above 0 */
  #noticesOf(problem: string | undefined, dropped: number): readonly CleanBlock[] {
    const masked = this.#showsFile ? (['secrets', 'tags', 'triggers', 'links'] as const).reduce((sum, step) => sum + this.#tally.total(step), 0) : 0;
    const notices = [
      ...(problem === undefined ? [] : [problem]),
      ...(masked === 0 ? [] : [describeMasked(masked)]),
      ...(dropped > 0 ? [describeDropped(dropped)] : []),
      ...(this.#texts.isCapped ? ['[devs: the output is longer than devs reads; what lies beyond is gone.]'] : []),
    ];
    return notices.map(toNotice);
  }

  #fit(blocks: readonly CleanBlock[], structuredBytes: number): FittedResult {
    const { wrapper, maxCharacters, createId, keep, noticeId } = this.#context;
    const isJson = this.#config.validateJson;
    const fitted = fitResult(blocks, {
      config: this.#config,
      maxCharacters,
      isJson: isJson || this.#context.isJsonPage,
      hardCap: this.#reader.maxBytes - structuredBytes - this.#meta.bytes,
      wrapperBytes: wrapper?.bytes ?? 0,
      wrap: (text) => wrapper?.wrap(text, createId) ?? text,
      clean: (message) => (message === DEFAULT_OUTPUT_CONFIG.truncationMessage ? message : this.#lineOf(message, 1_000)),
      sign: (notice) => signNotice(notice, noticeId),
      avoid: triggerAtEnd(this.#context.steps),
      keep,
    });
    // A page of JSON says how to read on. Half of a document that nobody can go on with would be taken for all of it.
    if (isJson && fitted.isLost) throw new DevsError('MALFORMED_JSON', { cause: new Error('it is longer than its budget, and the rest cannot be kept') });
    return fitted;
  }

  #toResult(
    { isError, isMissing, meta, protocolError }: CleanedParts,
    structured: StructuredPart | undefined,
    { fitted, report }: { readonly fitted: FittedResult; readonly report: SanitizationReport },
  ): ToolResult {
    const isBroken = structured?.problem === UNFIT || (structured?.problem === TOO_LARGE && this.#context.fitsSchema !== undefined);
    const hasFailed = isBroken || isMissing || protocolError !== undefined;
    return {
      ...(protocolError !== undefined && { protocolError }),
      content: fitted.content,
      // A client holds a result without an error to the schema that was promised, and would refuse all of it.
      ...((isError !== undefined || hasFailed) && { isError: isError === true || hasFailed }),
      ...(structured !== undefined && structured.problem === undefined && !this.#isDropped && { structuredContent: this.#fence(structured, fitted) }),
      ...toMeta(meta, report),
    };
  }

  get #isDropped(): boolean {
    return this.#context.wrapper !== undefined && this.#context.structured === 'drop';
  }

  /** Clients hold a result without an error to the schema that they were listed, and refuse all of one without the structured part. */
  #isMissing({ structuredContent, isError, protocolError }: RawParts): boolean {
    return this.#context.isStructureListed === true && structuredContent === undefined && isError !== true && protocolError === undefined;
  }

  /** What is dropped and stands in no text would be lost; of what is fenced, some clients show a model the text alone. */
  #asText(structured: StructuredPart | undefined): readonly CleanBlock[] {
    const { wrapper, structured: policy = 'keep' } = this.#context;
    if (structured === undefined || structured.problem !== undefined || this.#saysSomething || wrapper === undefined || policy === 'keep') return [];
    return [{ isNotice: false, block: { type: 'text', text: JSON.stringify(structured.cleaned) } }];
  }

  #fence(structured: StructuredPart, { content, notices, truncated }: FittedResult): Json {
    const { wrapper, createId, noticeId } = this.#context;
    if (wrapper === undefined || this.#context.structured !== 'fence') return structured.cleaned;
    const room = Math.min(this.#config.maxSizeBytes, this.#reader.maxBytes - this.#meta.bytes - bytesOf(content)) - structured.bytes;
    return fencePart(structured, { wrapper, createId, content, notices, isTextCut: truncated, sign: (notice) => signNotice(notice, noticeId), room });
  }
}

/** Of what a client gets of the blocks, as UTF-8. */
function bytesOf(content: readonly ContentBlock[]): number {
  return content.reduce((bytes, block) => bytes + Buffer.byteLength(JSON.stringify(block), 'utf8'), 0);
}

interface CleanedParts extends Pick<RawParts, 'isError'> {
  readonly meta: JsonObject;
  readonly protocolError: AnsweredError | undefined;
  readonly isMissing: boolean;
}

function toMeta(meta: JsonObject, { truncated, counts }: SanitizationReport): { readonly _meta?: JsonObject } {
  const own = truncated || Object.keys(counts).length > 0 ? { [SANITIZATION_META_KEY]: { truncated, counts } } : {};
  const whole = { ...meta, ...own };
  return Object.keys(whole).length === 0 ? {} : { _meta: whole };
}

function isRange(value: unknown): value is { readonly start: number; readonly end: number } {
  return isRecord(value) && Number.isSafeInteger(value['start']) && Number.isSafeInteger(value['end']);
}
