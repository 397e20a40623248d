import { randomBytes } from 'node:crypto';
import { DEFAULT_CONFIG, type DevsCoreConfig, type StructuredPolicy } from '../config/defaults.ts';
import { DevsError } from '../errors.ts';
import { DEFAULT_OUTPUT_CONFIG, type OutputConfig } from '../config/output-config.ts';
import type { Json, JsonObject } from '../json.ts';
import { toOneLine } from './pipeline/one-line.ts';
import { cleanJson } from './json/clean-json.ts';
import { UntrustedPaths } from '../validation/untrusted-paths.ts';
import { toFencedSchema } from './results/fenced-schema.ts';
import { redactSecrets, redactText } from './json/redact-secrets.ts';
import { createSecretDetector, type SecretDetector } from './secrets/secret-detector.ts';
import { SeenTexts } from './secrets/seen-texts.ts';
import { createSteps } from './steps/steps.ts';
import { Tally } from './pipeline/tally.ts';
import { cleanText } from './pipeline/text-pipeline.ts';
import type { TextStep } from './pipeline/text-step.ts';
import { boundaryInstructions, createNoticeId, createWrapper, shouldWrap, type Wrapper } from './steps/wrap.ts';

export interface OutputPolicyOptions {
  readonly sanitize: DevsCoreConfig['sanitize'];
  /** Values that devs itself hands to tools and servers, and that must come back from none of them. */
  readonly injectedSecrets?: readonly string[];
  /** Where files are not the user's own words: `labels.untrustedPaths`. Default: what `DEFAULT_CONFIG` says. */
  readonly untrustedPaths?: readonly string[];
  /** Makes the fingerprints of findings. Default: a random one, so that they hold as long as this object does. */
  readonly fingerprintKey?: Uint8Array;
  /** Eight digits that nobody can guess. Default: new ones. */
  readonly noticeId?: string;
}

/** A tool, as far as what happens to its output depends on it. */
export interface OutputTool {
  readonly name: string;
  readonly labels: readonly string[];
}

/** Always a trigger: the name under which clients know the tools of this server. */
const OWN_TRIGGER = 'mcp__devs';
/** Of as many tools of other servers. */
const MOST_WRAPPERS = 1_000;
const UNREADABLE = 'secrets could not be looked for in it';

/**
 * What the operator has decided about everything that goes out, made once for a server.
 * @example
 * ```ts
 * import { DEFAULT_CONFIG, OutputPolicy } from '@devs/core';
 * const policy = new OutputPolicy(DEFAULT_CONFIG);
 * console.log(policy.isUntrustedPath('node_modules/a/README.md'), policy.isUntrustedPath('README.md')); // true false
 * ```
 */
export class OutputPolicy {
  /** By which notices of devs are told from what others write: `signNotice`. */
  readonly noticeId: string;
  readonly #sanitize: DevsCoreConfig['sanitize'];
  readonly #detector: SecretDetector;
  readonly #wrappers = new Map<string, Wrapper>();
  readonly #fencedSchemas = new WeakMap<JsonObject, JsonObject>();
  readonly #seen = new SeenTexts();
  readonly #untrusted: UntrustedPaths;
  readonly #steps = new WeakMap<OutputConfig, Map<string, readonly TextStep[]>>();

  constructor({ sanitize, untrustedPaths = DEFAULT_CONFIG.labels.untrustedPaths, injectedSecrets = [], fingerprintKey = randomBytes(32), noticeId = createNoticeId() }: OutputPolicyOptions) {
    this.noticeId = noticeId;
    this.#sanitize = sanitize;
    this.#untrusted = new UntrustedPaths(untrustedPaths);
    this.#detector = createSecretDetector({
      enabled: sanitize.secrets,
      allowed: sanitize.allowedSecrets,
      injected: injectedSecrets,
      fingerprintKey,
    });
  }

  /** Tokens that a server may have the client's model write for one prompt. */
  get maxSamplingTokens(): number {
    return this.#sanitize.maxSamplingTokens;
  }

  /** Whether results of the tool stand inside a boundary. What is requested can only add to the operator's word. */
  isBounded({ labels }: OutputTool, requested = false): boolean {
    return shouldWrap({ policy: this.#sanitize.boundaries, labels, requested });
  }

  /** Whether a file is not the user's own. @param path relative to the root, links followed, `/` between segments */
  isUntrustedPath(path: string): boolean {
    return this.#untrusted.includes(path);
  }

  /** What becomes of the structured part of a result in a boundary. Where boundaries are asked for one by one, programs ask. */
  get structured(): StructuredPolicy {
    return this.#sanitize.boundaries === 'on-request' ? 'keep' : this.#sanitize.structured;
  }

  /**
   * The output schema of a tool as a list shows it: clients hold results to it. Absent where results have no structure,
   * or have one that nobody has described.
   */
  listedOutputSchema(tool: OutputTool, schema: JsonObject | undefined): JsonObject | undefined {
    if (schema === undefined || this.structured === 'keep' || !this.isBounded(tool)) return schema;
    if (this.structured === 'drop') return undefined;
    const fenced = this.#fencedSchemas.get(schema) ?? toFencedSchema(schema);
    this.#fencedSchemas.set(schema, fenced);
    return fenced;
  }

  /** For the `instructions` of a server: what a model has to know of what goes out. */
  get instructions(): string {
    return boundaryInstructions(this.noticeId);
  }

  /** The steps for texts of the tool. Made once for a configuration, a name and a boundary. */
  stepsFor({ name }: OutputTool, output: OutputConfig, isBounded: boolean): readonly TextStep[] {
    const known = this.#steps.get(output) ?? new Map<string, readonly TextStep[]>();
    this.#steps.set(output, known);
    const key = `${String(isBounded)} ${name}`;
    const steps = known.get(key) ?? this.#createSteps(name, output, isBounded);
    known.set(key, steps);
    return steps;
  }

  /** The boundaries of one source. Made once; of thousands of sources those that were asked for last. */
  wrapperFor(source: string): Wrapper {
    const wrapper = this.#wrappers.get(source) ?? createWrapper(source);
    if (this.#wrappers.size >= MOST_WRAPPERS) this.#wrappers.clear();
    this.#wrappers.set(source, wrapper);
    return wrapper;
  }

  /** One line of devs's own for people: what it quotes of others is cleaned as any output. */
  cleanLine(text: string): string {
    const steps = this.stepsFor({ name: '', labels: [] }, DEFAULT_OUTPUT_CONFIG, true);
    return toOneLine(cleanText(text.toWellFormed(), steps, new Tally()));
  }

  /** What the log may hold of a value: its secrets masked. Never throws: what cannot be looked at is not kept. */
  valueForLog(value: Json, toolName: string): Json {
    try {
      return redactSecrets(value, { detector: this.#detector, seen: this.#seen, toolName });
    } catch (cause) {
      return this.#eachForLog(value, toolName, DevsError.is(cause));
    }
  }

  /**
   * Text by text: one that would take too long must not take the rest of the evidence with it. What is most of the value has taken too
   * long already, and is not looked at again.
   */
  #eachForLog(value: Json, toolName: string, tookTooLong: boolean): Json {
    let most = Infinity;
    const mask = (text: string) => {
      try {
        if (text.length > most) return unreadable(text);
        return redactText(text, { detector: this.#detector, toolName });
      } catch {
        return unreadable(text);
      }
    };
    try {
      if (tookTooLong) most = unitsOf(value) / 2;
      return cleanJson(value, mask);
    } catch {
      return { unreadable: UNREADABLE };
    }
  }

  /** The same of a text. */
  textForLog(text: string, toolName: string): string {
    const masked = this.valueForLog(text, toolName);
    return typeof masked === 'string' ? masked : UNREADABLE;
  }

  #createSteps(toolName: string, output: OutputConfig, isBounded: boolean): readonly TextStep[] {
    const triggers = [...new Set([...this.#sanitize.triggers, OWN_TRIGGER])];
    return createSteps({ toolName, output, detector: this.#detector, isBounded, triggers, noticeId: this.noticeId });
  }
}

/** Of its texts and names: escapes of JSON would make a text look short beside the whole. */
function unitsOf(value: Json): number {
  let units = 0;
  cleanJson(value, (text) => {
    units += text.length;
    return text;
  });
  return units;
}

function unreadable(text: string): string {
  return `[${UNREADABLE}: ${String(text.length)} characters]`;
}
