import { Buffer } from 'node:buffer';
import { DevsError } from '../errors.ts';
import { ownValue, type Json } from '../json.ts';
import type { OutputReader } from '../protocol/output-reader.ts';
import { cleanNested, cleanStructured, cleanWord } from '../sanitization/json/clean-nested.ts';
import { cleanJson } from '../sanitization/json/clean-json.ts';
import { cleanLine, type ShortCleaning } from '../sanitization/requests/clean-short.ts';
import { withoutOtherVoices } from '../sanitization/requests/other-voices.ts';
import { Glance } from '../sanitization/pipeline/glance.ts';
import { WorkBudget } from '../sanitization/pipeline/work-budget.ts';
import { Tally } from '../sanitization/pipeline/tally.ts';
import type { TextStep } from '../sanitization/pipeline/text-step.ts';
import { LOG_LEVELS, type CallNotice } from '../tool-registry/upstream-call.ts';
import { copyForeign } from '../validation/foreign-json.ts';
import { isRefused } from '../validation/plain-copy.ts';

/** Of one call: more than any honest one says, and units of all that is looked at. */
const MOST_NOTICES = 10_000;
const MOST_UNITS = 4_194_304;
/** Units of a call that bring steps. Honest words cost less than one in four of these; hostile ones would go on for as long as they bring their own. */
const MOST_GRANTED = 1_048_576;

const MAX_MESSAGE_CHARACTERS = 2_000;
const MAX_LOGGER_CHARACTERS = 200;
const MAX_DATA_BYTES = 65_536;

const LEFT_OUT = '[devs: what the server said was left out: it is too large, or no plain data.]';

export interface NoticeSettings {
  /** Those of the call's texts. */
  readonly steps: readonly TextStep[];
  /** Absent: the texts are those of no call, and go through the steps alone. */
  readonly reader?: OutputReader;
  readonly isForeign: boolean;
  /** Who says it. Clients show a log message and its logger alone, so the logger names the server. Absent: nobody knows. */
  readonly server?: string | undefined;
  /** Makes of a notice what only devs can say. */
  readonly sign: (text: string) => string;
}

/**
 * Cleans what a server says of one call while it works on it. It is output like any other, but that no boundary stands
 * around it: clients show it beside a running call, and put it into no prompt. Never throws; what is no such word is undefined.
 */
export class NoticeCleaner {
  #noticesLeft = MOST_NOTICES;
  #unitsLeft = MOST_UNITS;
  #grantsLeft = MOST_GRANTED;
  readonly #work: WorkBudget;

  /** @param work for all of a call: thousands of short messages would each have the free steps of a result */
  constructor(work = new WorkBudget()) {
    this.#work = work;
  }

  clean(raw: unknown, settings: NoticeSettings): CallNotice | undefined {
    // Each costs a look, whatever it is: a flood of what is none is a flood too.
    if (this.#noticesLeft === 0 || this.#unitsLeft < 0) return undefined;
    this.#noticesLeft -= 1;
    try {
      const kind = ownValue(raw, 'kind');
      if (kind === 'progress') return this.#toProgress(raw, settings);
      return kind === 'log' ? this.#toLog(raw, settings) : undefined;
    } catch (cause) {
      // Too much to look at: what is said after it is not looked at at all. Else it was a getter of a tool's.
      if (DevsError.is(cause) && cause.code === 'OUTPUT_WITHHELD') this.#unitsLeft = -1;
      return undefined;
    }
  }

  #toProgress(raw: unknown, settings: NoticeSettings): CallNotice | undefined {
    const progress = ownValue(raw, 'progress');
    const total = ownValue(raw, 'total');
    if (!isFinite(progress) || (total !== undefined && !isFinite(total))) return undefined;
    const message = this.#toLine(ownValue(raw, 'message'), MAX_MESSAGE_CHARACTERS, settings);
    return { kind: 'progress', progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
  }

  #toLog(raw: unknown, settings: NoticeSettings): CallNotice | undefined {
    const asked = ownValue(raw, 'level');
    const level = LOG_LEVELS.find((known) => known === asked);
    if (level === undefined) return undefined;
    const named = this.#toLine(ownValue(raw, 'logger'), MAX_LOGGER_CHARACTERS, settings);
    const parts = [settings.server, named].filter((part) => part !== undefined && part !== '');
    const logger = parts.length === 0 ? undefined : parts.join('/');
    const data = this.#toData(ownValue(raw, 'data'), settings);
    return { kind: 'log', level, ...(logger !== undefined && { logger }), data };
  }

  #toLine(text: unknown, maxCharacters: number, { steps, reader, isForeign }: NoticeSettings): string | undefined {
    if (typeof text !== 'string') return undefined;
    this.#unitsLeft -= Math.min(text.length, MAX_DATA_BYTES);
    this.#grant(text.length);
    const cleaning: ShortCleaning = { word: (word) => cleanNested(new Glance((reader?.readWord(word) ?? word).toWellFormed(), { work: this.#work }), steps, new Tally()).text, isForeign };
    const line = cleanLine(text, maxCharacters, cleaning);
    return isForeign ? withoutOtherVoices(line) : line;
  }

  #toData(raw: unknown, settings: NoticeSettings): Json {
    const copied = copyForeign(raw);
    const data = isRefused(copied) ? undefined : this.#cleanData(copied.value, settings);
    const isSmall = data !== undefined && Buffer.byteLength(JSON.stringify(data), 'utf8') <= MAX_DATA_BYTES;
    return isSmall ? data : settings.sign(LEFT_OUT);
  }

  #cleanData(data: Json, { steps, reader }: NoticeSettings): Json {
    const units = JSON.stringify(data).length;
    this.#unitsLeft -= units;
    this.#grant(units);
    const work = this.#work;
    const tally = new Tally();
    const members = cleanJson(data, (text, name) => cleanWord(reader?.readWord(text) ?? text, steps, { tally, name, work }));
    // As a text of the same words is read: what is a secret beside its neighbour there is one here.
    const said = JSON.stringify(members);
    const { text } = cleanStructured(new Glance(said, { work }), steps, tally);
    return text === said ? members : cleanJson(JSON.parse(text), (kept) => kept);
  }

  #grant(units: number): void {
    const granted = Math.min(units, this.#grantsLeft);
    this.#grantsLeft -= granted;
    this.#work.grant(granted);
  }
}

function isFinite(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
