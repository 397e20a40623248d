import type { TextStepName } from './text-step.ts';

/** What was counted: a step of texts, or what was done to a result as a whole. */
export type CountedStep = TextStepName | 'decode' | 'objects' | 'content' | 'size';

/** One secret that was masked, told by its fingerprint. */
export interface Finding {
  readonly rule: string;
  readonly fingerprint: string;
}

/** Enough to find the false positive, and no more than a log line holds. */
const MOST_FINDINGS = 20;

/** Counts what was done, by step and rule. It holds no text: counts alone may leave the gate. */
export class Tally {
  /** Both made with the first entry: most texts are clean. */
  #counts: Map<string, number> | undefined;
  #findings: Map<string, Finding> | undefined;
  /** What was counted last, and its key: a hostile file has a million changes of one kind. */
  #last = { step: '', rule: '', key: '' };

  add(step: CountedStep, rule: string, times = 1): void {
    if (step !== this.#last.step || rule !== this.#last.rule) this.#last = { step, rule, key: `${step}:${rule}` };
    this.#addTo(this.#last.key, times);
  }

  /** For the log alone. Each fingerprint once, the first 20. */
  note(finding: Finding): void {
    this.#findings ??= new Map();
    if (this.#findings.size < MOST_FINDINGS) this.#findings.set(`${finding.rule} ${finding.fingerprint}`, finding);
  }

  /** Takes over what another has counted. */
  merge(other: Tally): void {
    for (const [key, times] of other.#counts ?? []) this.#addTo(key, times);
    for (const finding of other.findings) this.note(finding);
  }

  /** How often each rule changed something, by `<step>:<rule>`; what changed nothing is not in it. */
  get counts(): Readonly<Record<string, number>> {
    return this.#counts === undefined ? {} : Object.fromEntries(this.#counts);
  }

  get findings(): readonly Finding[] {
    return this.#findings === undefined ? [] : [...this.#findings.values()];
  }

  /** Times that any rule of this step changed something. */
  total(step: CountedStep): number {
    let total = 0;
    for (const [key, times] of this.#counts ?? []) if (key.startsWith(`${step}:`)) total += times;
    return total;
  }

  #addTo(key: string, times: number): void {
    this.#counts ??= new Map();
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + times);
  }
}
