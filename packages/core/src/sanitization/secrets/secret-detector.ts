import { createHmac } from 'node:crypto';
import type { AllowedSecret } from '../../config/defaults.ts';
import { HIDDEN, kindOfUnit } from '../../protocol/unit-kinds.ts';
import { SeamCursor, Seams } from '../pipeline/seams.ts';
import { withGlued } from './glued-spans.ts';
import { findInjected, formsOf } from './injected-values.ts';
import { namesSecret } from './named-values.ts';
import type { Part } from './look.ts';
import { OpenedText } from './opened-text.ts';
import { SecretScanner } from './secret-scanner.ts';
import { SecretSpans } from './secret-spans.ts';
import { UnwrittenText } from './unwritten-text.ts';
import { WorkBudget } from '../pipeline/work-budget.ts';

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
  /** Places where something was taken out of the text: a secret may begin or end there, or go on. */
  readonly seams?: Seams | undefined;
  /** Of the units of the text, where somebody has looked: `unit-kinds.ts`. */
  readonly kinds?: number | undefined;
  /** Counts the work, for all texts of a result together. Default: one for this text alone. */
  readonly work?: WorkBudget | undefined;
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

const [FIRST_HIDDEN, FIRST_SURROGATE, LAST_SURROGATE] = [0xad, 0xd800, 0xdfff];

/** Never let through by the name of a tool alone: it is devs's own, and no finding of a text of that tool. */
const INJECTED = 'injected';

export function createSecretDetector(options: SecretDetectorOptions): SecretDetector {
  return new RuleDetector(options);
}

/** A text, and where something was taken out of it. */
interface Source {
  readonly text: string;
  readonly work: WorkBudget;
  readonly seams: Seams | undefined;
  readonly kinds?: number | undefined;
}

interface Reported {
  readonly toolName: string;
  /** Of a name that was put in front of the text. */
  readonly nameUnits: number;
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

  each(text: string, context: SecretContext): Iterable<SecretFinding> {
    const { memberName } = context;
    const name = memberName !== undefined && namesSecret(memberName) ? `"${memberName}":"` : '';
    const source = { text: name + text, work: context.work ?? WorkBudget.forText(text), seams: context.seams?.moved(name.length), kinds: context.kinds };
    const spans = this.#read(source);
    return spans.count === 0 ? [] : this.#findings(text, spans, { toolName: context.toolName, nameUnits: name.length });
  }

  *#findings(text: string, spans: SecretSpans, { toolName, nameUnits }: Reported): Generator<SecretFinding> {
    let decided = 0;
    for (const { start, end, rule } of spans) {
      if (end <= nameUnits) continue;
      const secret = { start: Math.max(0, start - nameUnits), end: end - nameUnits };
      const span = { ...withHiddenAround(text, secret, decided), rule };
      const finding = new KeyedFinding(span, () => this.#fingerprint(text.slice(secret.start, secret.end)));
      if (this.#isAllowed(finding, toolName)) continue;
      decided = span.end;
      yield finding;
    }
  }

  /** As it stands, and as it reads where what is hidden in its words is written out: `gh\u200bp_…`. */
  #read(source: Source): SecretSpans {
    const spans = this.#spansOf(source);
    if (this.#scanner === undefined && this.#forms.length === 0) return spans;
    for (const unwritten of UnwrittenText.of(source, source.work)) {
      const { text, seams } = unwritten;
      for (const found of this.#spansOf({ text, seams, work: source.work })) {
        const { start, end } = unwritten.sourceOf(found.start, found.end);
        spans.add(start, end, found.rule);
      }
    }
    return spans;
  }

  /** Between injected values each piece is looked at alone, as it will be when marks stand there. */
  #spansOf({ text, work, seams }: Source): SecretSpans {
    const injected = new SecretSpans();
    findInjected(text, this.#forms, injected);
    if (injected.count === 0) return this.#scan({ text, work, seams });
    const cutter = new SeamCutter(seams);
    const spans = new SecretSpans();
    let from = 0;
    const scanTo = (end: number) => {
      const piece = { text: text.slice(from, end), work, seams: cutter.between(from, end) };
      for (const found of this.#scan(piece)) spans.add(from + found.start, from + found.end, found.rule);
    };
    for (const { start, end, rule } of injected) {
      scanTo(start);
      spans.add(start, end, rule);
      from = end;
    }
    scanTo(text.length);
    return spans;
  }

  #scan(source: Source): SecretSpans {
    const { text, work } = source;
    const scanner = this.#scanner;
    if (scanner === undefined) return new SecretSpans();
    return withGlued(this.#scanBoth(scanner, source), text, (piece) => scanner.scan(piece, work));
  }

  /** What was taken out may have stood within a token or beside it: both readings count. */
  #scanBoth(scanner: SecretScanner, { text, work, seams }: Source): SecretSpans {
    if (seams === undefined) return scanner.scan(text, work);
    const spans = scanner.scan(text, work, new SeamCursor(seams, 0));
    const opened = new OpenedText(text, seams);
    if (!opened.isOpened) return spans;
    for (const { start, end, rule } of scanner.scan(opened.text, work)) spans.add(opened.sourceOf(start), opened.sourceOf(end), rule);
    return spans;
  }

  #isAllowed(finding: SecretFinding, toolName: string): boolean {
    return this.#allowed.some(
      ({ rule, tool = toolName, fingerprint }) =>
        (rule ?? finding.rule) === finding.rule &&
        tool === toolName &&
        (fingerprint === undefined || fingerprint === finding.fingerprint) &&
        (finding.rule !== INJECTED || (rule ?? fingerprint) !== undefined),
    );
  }

  #fingerprint(secret: string): string {
    return createHmac('sha256', this.#key).update(secret, 'utf8').digest('hex').slice(0, 16);
  }
}

/** What people write between letters, as a soft hyphen, stands beside none once there is a mark: it goes with the secret. */
function withHiddenAround(text: string, secret: Part, decided: number): Part {
  let { start, end } = secret;
  while (start > decided && isHiddenUnit(text, start - 1)) start -= 1;
  while (end < text.length && isHiddenUnit(text, end)) end += 1;
  return { start, end };
}

function isHiddenUnit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= FIRST_HIDDEN && (unit < FIRST_SURROGATE || unit > LAST_SURROGATE) && (kindOfUnit(unit) & HIDDEN) !== 0;
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

/** Gives the seams of one piece of a text after another, from left to right. */
class SeamCutter {
  readonly #seams: Seams | undefined;
  #next = 0;

  constructor(seams: Seams | undefined) {
    this.#seams = seams;
  }

  between(from: number, end: number): Seams | undefined {
    const seams = this.#seams;
    if (seams === undefined) return undefined;
    let found: Seams | undefined;
    for (; this.#next < seams.count && seams.at(this.#next) < end; this.#next += 1) {
      const place = seams.at(this.#next) - from;
      if (place >= 0) (found ??= new Seams()).add(place);
    }
    return found;
  }
}
