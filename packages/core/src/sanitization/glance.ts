import { ESCAPER, FOREIGN, kindsOf } from '../protocol/unit-kinds.ts';
import { holdsForms } from './encoded-forms.ts';
import { foldedView, type FoldedView } from './folded-view.ts';

/** What is known of one text, found out when somebody asks, and once: the steps share it while none changes the text. */
export class Glance {
  readonly text: string;
  #kinds: number | undefined;
  #hasForms: boolean | undefined;
  #view: { readonly folded: FoldedView | undefined } | undefined;

  constructor(text: string) {
    this.text = text;
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
    this.#view ??= { folded: (this.kinds & FOREIGN) === 0 && !this.hasForms ? undefined : foldedView(this.text) };
    return this.#view.folded;
  }
}
