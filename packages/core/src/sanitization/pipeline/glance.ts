import { ESCAPER, FOREIGN, kindsOf } from '../../protocol/unit-kinds.ts';
import { holdsForms } from './encoded-forms.ts';
import { readFolded } from './folded-view.ts';
import type { Seams } from './seams.ts';
import type { WorkBudget } from './work-budget.ts';
import type { FoldedView } from './view-builders.ts';

/** Where a text comes from: what no look at it can tell. */
export interface GlanceHistory {
  readonly seams?: Seams | undefined;
  /** Absent: each text has a budget of its own. */
  readonly work?: WorkBudget | undefined;
}

/** What is known of one text, found out when somebody asks, and once: the steps share it while none changes the text. */
export class Glance {
  readonly text: string;
  /** Where something was taken out of it before. */
  readonly seams: Seams | undefined;
  /** What may be spent on all texts of one result. */
  readonly work: WorkBudget | undefined;
  #kinds: number | undefined;
  #hasForms: boolean | undefined;
  #view: { readonly folded: FoldedView | undefined } | undefined;

  constructor(text: string, { seams, work }: GlanceHistory = {}) {
    this.text = text;
    this.seams = seams;
    this.work = work;
  }

  /** Of all its units together: `unit-kinds.ts`. */
  get kinds(): number {
    this.#kinds ??= kindsOf(this.text);
    return this.#kinds;
  }

  /** True when the text holds an entity or an escape. */
  get hasForms(): boolean {
    this.#hasForms ??= (this.kinds & ESCAPER) !== 0 && holdsForms(this.text);
    return this.#hasForms;
  }

  /** How a model reads it; undefined: as it stands. */
  get view(): FoldedView | undefined {
    this.#view ??= { folded: (this.kinds & FOREIGN) === 0 && !this.hasForms ? undefined : readFolded(this.text, this.work) };
    return this.#view.folded;
  }
}
