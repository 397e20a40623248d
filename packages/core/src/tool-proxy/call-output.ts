import { DevsError } from '../errors.ts';
import { combineOutputConfig, DEFAULT_OUTPUT_CONFIG, type OutputConfig } from '../config/output-config.ts';
import type { StructuredLogger } from '../logging/structured-logger.ts';
import { decide } from '../policy/decide.ts';
import { OutputReader } from '../protocol/output-reader.ts';
import { checkSanitizer, type IOutputSanitizer } from '../protocol/output-sanitizer.ts';
import type { RawToolOutput } from '../protocol/tool-result.ts';
import { cleanNested } from '../sanitization/json/clean-nested.ts';
import { cutCleaned } from '../sanitization/pipeline/cut-text.ts';
import { viewBytes } from '../sanitization/pipeline/file-view.ts';
import type { OutputPolicy } from '../sanitization/output-policy.ts';
import type { Overflow } from '../sanitization/results/overflow.ts';
import { Glance } from '../sanitization/pipeline/glance.ts';
import { sanitizeToolResult, type SentenceCleaning } from '../sanitization/sanitize-tool-result.ts';
import { Tally } from '../sanitization/pipeline/tally.ts';
import type { TextStep } from '../sanitization/pipeline/text-step.ts';
import type { TextView } from '../sanitization/pipeline/text-view.ts';
import { signNotice } from '../sanitization/steps/wrap.ts';
import type { GuardedArguments } from '../tool-registry/guard-paths.ts';
import { fitsOutputSchema } from '../tool-registry/output-schema.ts';
import { isOffered, type ToolLookup } from '../tool-registry/ToolRegistry.ts';
import type { RegisteredTool, ToolLabel } from '../tool-registry/types.ts';
import type { CallNotice } from '../tool-registry/upstream-call.ts';
import type { Authorship } from '../validation/schema.ts';
import { includes, type AskedCall, type ExtraSteps } from './asked-call.ts';
import type { Call } from './call/call.ts';
import type { Completed } from './outcome.ts';
import { NoticeCleaner } from './notice-cleaner.ts';
import { toPageConfig, unitsOfPage } from './page-of-output.ts';
import type { StartedCall } from './started-call.ts';
import { TurnBudget } from './turn-budget.ts';
import { toWithheld } from './withheld.ts';

export interface CallOutputParts {
  readonly registry: ToolLookup;
  readonly sanitizer: IOutputSanitizer;
  /** Most bytes of UTF-8 of a whole result. Absent: what the sanitizer says. */
  readonly maxBytes: number | undefined;
  readonly logger: StructuredLogger;
  readonly policy: OutputPolicy;
  readonly overflow: Overflow<AskedCall>;
  readonly createId: () => string;
}

/** What a caller asks of one answer. It can only add to what holds. */
export interface AnswerWishes {
  /** Beside the tool's own configuration: of the two the stricter holds, see `combineOutputConfig`. */
  readonly output?: Partial<OutputConfig>;
  /** Most characters (UTF-16 units) of the answer, beside its bytes: what a model's context is counted in. A whole number from 0 up. */
  readonly maxCharacters?: number;
  /** Redact boundary tags and triggers, and put the texts into a boundary (seed 001's `__sanitize__`). */
  readonly boundaries?: boolean;
}

/** What the gate itself asks of an answer that goes to code, and not to a model. */
export interface InnerWishes extends AnswerWishes {
  /** Cleaned as ever, but in no boundary: the answer that the code gives goes into one. */
  readonly isUnwrapped?: boolean;
  /** Told what the answer is labelled beside its tool's labels, as soon as that is known. */
  readonly onLabels?: (labels: readonly ToolLabel[]) => void;
}

/** Of which tool a file is shown: what an editor is shown must be what a reader was shown. */
const READER = 'read_file';
/** The tool that reads on what a budget has cut off. */
const READ_MORE = 'read_more';

function isReadMore(tool: RegisteredTool | undefined): boolean {
  return tool?.name === READ_MORE && tool.authorship !== 'foreign';
}

/**
 * Whose words an answer is. What a server is asked beside its tools has a definition of devs's own, and says what the
 * server says: as ours, its blocks could speak outside the boundary, with the digits that only devs knows.
 */
function authorshipOf({ authorship = 'own', kind }: RegisteredTool): Authorship {
  return kind === 'upstream' ? 'foreign' : authorship;
}

/** The way out of the gate: every answer of a tool, and every sentence of devs, leaves through here. */
export class CallOutputs {
  readonly #parts: CallOutputParts;
  readonly #turns = new TurnBudget();
  /** For what devs says itself. */
  readonly sentences: SentenceCleaning;

  /** @throws DevsError CONFIG_INVALID when the sanitizer lacks a method */
  constructor(parts: CallOutputParts) {
    checkSanitizer(parts.sanitizer);
    this.#parts = parts;
    const steps = parts.policy.stepsFor({ name: '', labels: [] }, DEFAULT_OUTPUT_CONFIG, true);
    this.sentences = { reader: new OutputReader(parts.sanitizer), steps };
  }

  /** For one call that is about to run. */
  open(started: StartedCall, wishes: InnerWishes): CallOutput {
    return new CallOutput({ ...this.#parts, turns: this.#turns }, started, wishes);
  }
}

/** The output of one call: cleaned before anybody sees it. */
export class CallOutput {
  readonly #parts: CallOutputParts & { readonly turns: TurnBudget };
  readonly #call: Call;
  readonly #wishes: InnerWishes;
  /** Of the tools that this call has called: what they have read, it may tell. */
  readonly #labels = new Set<ToolLabel>();
  readonly #notices = new NoticeCleaner();
  #isBound = false;
  /** Whose output it is: the called tool's, or that of the tool whose output is read on. */
  #asked: { readonly tool: RegisteredTool; readonly checked: GuardedArguments };
  /** What of a kept output this call reads on. */
  #reading: { readonly handle: string; readonly text: string } | undefined;

  constructor(parts: CallOutputParts & { readonly turns: TurnBudget }, { call, permit }: StartedCall, wishes: InnerWishes) {
    this.#parts = parts;
    this.#call = call;
    this.#wishes = wishes;
    this.#asked = { tool: permit.tool, checked: permit.checked };
  }

  /** What a server says of the call while it works on it, made safe to pass on. Undefined for what is no such word. */
  cleanNotice(notice: unknown): CallNotice | undefined {
    const { tool } = this.#asked;
    const { policy: { noticeId }, sanitizer } = this.#parts;
    const { steps } = this.#settle(tool);
    const isForeign = authorshipOf(tool) === 'foreign';
    return this.#notices.clean(notice, { steps, reader: new OutputReader(sanitizer), isForeign, server: isForeign ? tool.source : undefined, sign: (text) => signNotice(text, noticeId) });
  }

  /** From now on the answer is redacted and goes into a boundary. It cannot be taken back. */
  bound(): void {
    this.#isBound = true;
  }

  /** From now on the answer is one of a tool with these labels too. */
  inherit(labels: readonly ToolLabel[]): void {
    for (const label of labels) this.#labels.add(label);
    this.#wishes.onLabels?.(labels);
  }

  /** From now on the answer is untrusted when the file is. @param path relative to the root, links followed */
  read(path: string): void {
    if (this.#parts.policy.isUntrustedPath(path)) this.inherit(['untrusted']);
  }

  /**
   * What an agent is shown of these bytes of a file, when it asks of it what is asked of this answer. With a path: whatever
   * else this call has read, or a search would find in one file by what lies beside it.
   */
  view(bytes: Uint8Array, path?: string): TextView {
    const { registry, policy } = this.#parts;
    const reader = registry.getTool(READER) ?? this.#asked.tool;
    const labels = path === undefined ? this.#labels : policy.isUntrustedPath(path) ? ['untrusted' as const] : [];
    return viewBytes(bytes, policy.stepsFor(reader, this.#configOf(reader), this.#isBounded(reader, labels)));
  }

  /**
   * What is kept under the handle for this caller. Asked and judged as the first call was: what has been hidden or
   * forbidden since is not read on.
   * @throws DevsError OVERFLOW_NOT_FOUND, POLICY_DENIED
   */
  readMore(handle: string): string {
    const { registry, overflow } = this.#parts;
    const { context } = this.#call;
    if (!isReadMore(this.#asked.tool)) throw new DevsError('OVERFLOW_NOT_FOUND');
    const page = overflow.read(handle, principalOf(this.#call));
    const tool = page === undefined ? undefined : registry.getTool(page.asked.toolName);
    if (page === undefined || tool === undefined || !isOffered(tool, context)) throw new DevsError('OVERFLOW_NOT_FOUND');
    const { checked } = page.asked;
    decide({ tool, checked, context });
    this.#asked = { tool, checked };
    this.inherit(page.asked.labels);
    if (page.asked.isBound) this.bound();
    const settled = this.#settle(tool);
    const kept = includes(page.asked.extras, settled) ? { handle, text: page.text } : this.#keepCleaner(page.text, settled);
    // More than fits, so that it is cut where the budget ends; all that is left would be counted again for each page.
    const text = cutCleaned(kept.text, unitsOfPage(settled.config));
    this.#reading = { handle: kept.handle, text };
    return text;
  }

  /** In a turn that has time for it. Throws `OUTPUT_WITHHELD`, `BINARY_CONTENT`, `MALFORMED_JSON`: the raw output is never an answer. */
  async clean(running: Promise<RawToolOutput>): Promise<Completed> {
    const raw = await running;
    // On stdio there is one client, which stalls nobody else. An answer that waited would let the transport read more calls
    // while the client does not read its answers: what stops it is an answer in the full output.
    if (this.#call.origin.channel === 'stdio') return this.#clean(raw);
    return this.#parts.turns.spend(() => this.#clean(raw));
  }

  #clean(raw: RawToolOutput): Completed {
    const { sanitizer, maxBytes, logger, createId, policy } = this.#parts;
    const { context, toolName } = this.#call;
    const { tool } = this.#asked;
    const { turnIndex, taskId = '' } = context;
    try {
      const { config: whole, isBounded, steps } = this.#settle(tool);
      const config = this.#reading === undefined ? whole : toPageConfig(whole);
      const cleaned = sanitizeToolResult(raw, config, {
        sanitizer,
        maxBytes,
        maxCharacters: this.#wishes.maxCharacters,
        logger,
        toolName,
        taskId,
        turnIndex,
        authorship: authorshipOf(tool),
        asker: this.#askerOf(tool),
        maxSamplingTokens: policy.maxSamplingTokens,
        hasRoles: tool.isOperation,
        steps,
        wrapper: isBounded && this.#wishes.isUnwrapped !== true ? policy.wrapperFor(sourceOf(tool)) : undefined,
        structured: tool.isOperation === true ? 'keep' : policy.structured,
        noticeId: policy.noticeId,
        createId,
        fitsSchema: tool.outputSchema === undefined ? undefined : (structured) => fitsOutputSchema(tool, structured),
        // A page of `read_more` is none of its results.
        isStructureListed: this.#reading === undefined && policy.listedOutputSchema(tool, tool.definition.outputSchema) !== undefined,
        keep: (rest) => this.#keep(rest, { isBounded, links: config.links }),
        page: this.#reading?.text,
        isJsonPage: this.#reading !== undefined && whole.validateJson,
      });
      return { kind: 'completed', ...cleaned };
    } catch (cause) {
      throw toWithheld(cause, authorshipOf(tool) === 'own' ? raw : undefined);
    }
  }

  /** Only a server may ask, and only whom a client stands behind: code that calls its tool can answer nothing. */
  #askerOf({ kind, source }: RegisteredTool): string | undefined {
    return kind === 'upstream' && this.#wishes.isUnwrapped !== true ? source : undefined;
  }

  #settle(tool: RegisteredTool): Settled {
    const { policy } = this.#parts;
    const config = this.#configOf(tool);
    const isBounded = this.#isBounded(tool);
    return { config, isBounded, links: config.links, steps: policy.stepsFor(tool, config, isBounded) };
  }

  #isBounded({ name, labels }: RegisteredTool, more: Iterable<ToolLabel> = this.#labels): boolean {
    return this.#parts.policy.isBounded({ name, labels: [...labels, ...more] }, this.#isAsked);
  }

  get #isAsked(): boolean {
    return this.#isBound || this.#wishes.boundaries === true;
  }

  #configOf({ settings }: RegisteredTool): OutputConfig {
    return this.#wishes.output === undefined ? settings.output : combineOutputConfig(settings.output, this.#wishes.output);
  }

  /** The rest of an output of which less was asked when it was kept, as it is asked for now. @throws DevsError OVERFLOW_NOT_FOUND */
  #keepCleaner(rest: string, { steps, isBounded, links }: Settled): { readonly handle: string; readonly text: string } {
    const { text } = cleanNested(new Glance(rest), steps, new Tally());
    const handle = this.#parts.overflow.keep(text, principalOf(this.#call), this.#toAsked({ isBounded, links }));
    if (handle === undefined) throw new DevsError('OVERFLOW_NOT_FOUND');
    return { handle, text };
  }

  #keep(rest: string, extras: ExtraSteps): string | undefined {
    const { registry, overflow } = this.#parts;
    const reading = this.#reading;
    if (reading?.text.endsWith(rest) === true) {
      const units = reading.text.length - rest.length;
      // It is kept already: the next page only begins further on. From where it began nobody would ever come to its end.
      return units === 0 ? undefined : overflow.goOn(reading.handle, principalOf(this.#call), units);
    }
    // A handle that no tool takes would only be a riddle.
    if (!isReadMore(registry.getTool(READ_MORE))) return undefined;
    return overflow.keep(rest, principalOf(this.#call), this.#toAsked(extras));
  }

  #toAsked(extras: ExtraSteps): AskedCall {
    const { tool, checked } = this.#asked;
    return { toolName: tool.name, checked, extras, labels: [...this.#labels], isBound: this.#isAsked };
  }
}

/** What holds for one answer. */
interface Settled extends ExtraSteps {
  readonly config: OutputConfig;
  readonly steps: readonly TextStep[];
}

/** Where the content comes from, as its boundary says it. */
function sourceOf({ source, name, isOperation = false }: RegisteredTool): string {
  return source === 'built-in' || isOperation ? name : `${source}/${name}`;
}

function principalOf({ origin }: Call): string {
  return `${origin.channel} ${origin.principal}`;
}
