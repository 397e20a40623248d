import { createHmac } from 'node:crypto';
import type { AllowedSecret } from '../../config/defaults.ts';
import { findInjected, formsOf } from './injected-values.ts';
import { SecretScanner } from './secret-scanner.ts';
import { SecretSpans } from './secret-spans.ts';
import { WorkBudget } from './work-budget.ts';

export interface SecretDetectorOptions {
  /** False: rules are not applied. Injected values are looked for all the same: devs itself put them within reach. */
  readonly enabled: boolean;
  /** Findings that go through: all that an entry gives must match, and one that gives nothing allows nothing. */
  readonly allowed: readonly AllowedSecret[];
  /** Exact values that devs hands to servers and tools; those under 12 characters are ignored. */
  readonly injected?: readonly string[];
  /** Of this installation, at least 32 random bytes. An unkeyed digest would give short passwords away. */
  readonly fingerprintKey: Uint8Array;
}

export interface SecretFinding {
  /** Units of UTF-16, from the first to before the last. */
  readonly start: number;
  readonly end: number;
  /** An id of `SECRET_RULES`. */
  readonly rule: string;
  /** 16 hexadecimal digits: HMAC-SHA256 of the secret under the key of this installation. */
  readonly fingerprint: string;
}

export interface SecretContext {
  readonly toolName: string;
  /** Name of the member whose value the text is: `aws_secret_access_key` says what its value is. */
  readonly memberName?: string | undefined;
  /** Counts the work. Default: one for this text alone. */
  readonly work?: WorkBudget;
}

export interface SecretDetector {
  /**
   * Secrets in a text, from left to right, none over another.
   * @throws DevsError `OUTPUT_WITHHELD` for a text that would take too long to look through
   */
  find(text: string, context: SecretContext): readonly SecretFinding[];
  /** The same, one at a time: a hostile text holds a million, and a list of them weighs more than the text. */
  each(text: string, context: SecretContext): Iterable<SecretFinding>;
}

export function createSecretDetector(options: SecretDetectorOptions): SecretDetector {
  return new RuleDetector(options);
}

class RuleDetector implements SecretDetector {
  readonly #scanner: SecretScanner | undefined;
  readonly #allowed: readonly AllowedSecret[];
  readonly #forms: readonly string[];
  readonly #key: Uint8Array;

  constructor({ enabled, allowed, injected = [], fingerprintKey }: SecretDetectorOptions) {
    this.#scanner = enabled ? new SecretScanner() : undefined;
    this.#allowed = allowed.filter(({ rule, tool, fingerprint }) => (rule ?? tool ?? fingerprint) !== undefined);
    this.#forms = [...new Set(injected.flatMap(formsOf))];
    this.#key = fingerprintKey.slice();
  }

  find(text: string, context: SecretContext): readonly SecretFinding[] {
    return [...this.each(text, context)];
  }

  *each(text: string, context: SecretContext): Generator<SecretFinding> {
    const { memberName } = context;
    const name = memberName !== undefined && namesSecret(memberName) ? `${memberName}=` : '';
    const named = name + text;
    for (const { start, end, rule } of this.#spansOf(named, context.work ?? WorkBudget.forText(named))) {
      if (end <= name.length) continue;
      const span = { start: Math.max(0, start - name.length), end: end - name.length, rule };
      const finding = new KeyedFinding(span, () => this.#fingerprint(text.slice(span.start, span.end)));
      if (!this.#isAllowed(finding, context.toolName)) yield finding;
    }
  }

  /** Between injected values each piece is looked at alone, as it will be when marks stand there. */
  #spansOf(text: string, work: WorkBudget): SecretSpans {
    const injected = new SecretSpans();
    findInjected(text, this.#forms, injected);
    if (injected.count === 0) return this.#scanner?.scan(text, work) ?? injected;
    const spans = new SecretSpans();
    let from = 0;
    for (const { start, end, rule } of injected) {
      this.#scanPiece(text.slice(from, start), { from, spans, work });
      spans.add(start, end, rule);
      from = end;
    }
    this.#scanPiece(text.slice(from), { from, spans, work });
    return spans;
  }

  #scanPiece(piece: string, { from, spans, work }: { from: number; spans: SecretSpans; work: WorkBudget }): void {
    for (const { start, end, rule } of this.#scanner?.scan(piece, work) ?? []) spans.add(from + start, from + end, rule);
  }

  #isAllowed(finding: SecretFinding, toolName: string): boolean {
    return this.#allowed.some(
      ({ rule = finding.rule, tool = toolName, fingerprint }) =>
        rule === finding.rule && tool === toolName && (fingerprint === undefined || fingerprint === finding.fingerprint),
    );
  }

  #fingerprint(secret: string): string {
    return createHmac('sha256', this.#key).update(secret, 'utf8').digest('hex').slice(0, 16);
  }
}

/** The fingerprint is made when it is asked for: a hostile text holds a million findings, and most are only counted. */
class KeyedFinding implements SecretFinding {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
  readonly #print: () => string;

  constructor({ start, end, rule }: { start: number; end: number; rule: string }, print: () => string) {
    this.start = start;
    this.end = end;
    this.rule = rule;
    this.#print = print;
  }

  get fingerprint(): string {
    return this.#print();
  }
}

/** Names that can make a secret of a value; others need no second text. */
function namesSecret(memberName: string): boolean {
  return /(?:key|authorization)$/i.test(memberName.slice(-32));
}
