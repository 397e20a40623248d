import { DevsError } from '../../errors.ts';
import type { Json, JsonObject } from '../../json.ts';
import { copyPlain, isRefused } from '../../validation/plain-copy.ts';
import { ConfinedRewriter } from './confined-rewriter.ts';
import { DistinctNames } from './distinct-names.ts';
import { Glance } from '../pipeline/glance.ts';
import { invisibles } from '../terminal/invisibles.ts';
import { TextRewriter } from '../pipeline/rewriter.ts';
import { Tally } from '../pipeline/tally.ts';
import { terminalControls } from '../terminal/terminal-controls.ts';
import { cleanGlanced } from '../pipeline/text-pipeline.ts';
import type { TextStep } from '../pipeline/text-step.ts';
import { nameOfItem, nameOfMember } from '../secrets/pair-names.ts';
import { PRIVATE } from '../secrets/private-keys.ts';
import type { SecretDetector } from '../secrets/secret-detector.ts';
import { secretMark } from '../secrets/secrets-step.ts';
import type { SeenTexts } from '../secrets/seen-texts.ts';
import { WorkBudget } from '../pipeline/work-budget.ts';

/** For a value that is written to the log: whose text it is and who looks. */
export interface Redaction {
  readonly detector: SecretDetector;
  readonly toolName: string;
  /** For all texts of one value. Default of a text: one for each; of a value: one for it. */
  readonly work?: WorkBudget;
  /** Of this detector. Absent: every text is looked through. */
  readonly seen?: SeenTexts;
}

/** Joined now and then: a million pieces weigh more than their text. */
const MOST_PIECES = 8_192;

/** What a token can be cut by, and glued to: `\u001b[31mghp_…` ends in a letter where the token begins. */
const HIDING: readonly TextStep[] = Object.freeze([terminalControls({ stripControlChars: true, stripNullBytes: true }), invisibles]);

/**
 * The text with a mark in the place of each secret; the same string when there is none. One that is only seen without
 * controls and invisible characters is masked in the text without them: that is what is kept then.
 */
export function redactText(text: string, redaction: Redaction, memberName?: string): string {
  // What stands under a name is judged by the name too.
  if (memberName !== undefined) return lookThrough(text, redaction, memberName);
  const { seen, toolName } = redaction;
  if (text === '' || seen?.isClean(text, toolName) === true) return text;
  const redacted = lookThrough(text, redaction);
  if (redacted === text) seen?.noteClean(text, toolName);
  return redacted;
}

function lookThrough(text: string, redaction: Redaction, memberName?: string): string {
  redaction.work?.grant(text.length);
  const shown = cleanGlanced(new Glance(text.isWellFormed() ? text : text.toWellFormed(), { work: redaction.work }), HIDING, new Tally());
  if (shown.text !== text) {
    const masked = maskSecrets(shown, redaction, memberName);
    if (masked !== shown.text) return masked;
  }
  return maskSecrets({ text, seams: undefined }, redaction, memberName);
}

function maskSecrets({ text, seams }: Pick<Glance, 'text' | 'seams'>, { detector, toolName, work }: Redaction, memberName?: string): string {
  let redacted = '';
  let pieces: string[] = [];
  let from = 0;
  for (const { start, end, rule } of detector.each(text, { toolName, work, memberName, seams })) {
    pieces.push(text.slice(from, start), secretMark(rule));
    from = end;
    if (pieces.length < MOST_PIECES) continue;
    redacted += pieces.join('');
    pieces = [];
  }
  return from === 0 ? text : redacted + pieces.join('') + text.slice(from);
}

/**
 * The value with marks in the place of secrets, in values and keys; the same object when there are none.
 * Depth is what the value's own check allowed (`copyPlain`). Two keys that become one get a number.
 * @throws DevsError `OUTPUT_WITHHELD` for a text that would take too long to look through
 */
export function redactSecrets(value: Json, redaction: Redaction): Json {
  const budgeted = { work: new WorkBudget(), ...redaction };
  const redacted = redactValue(value, budgeted);
  return typeof redacted === 'object' && redacted !== null && saysPrivate(redacted) ? redactAcross(redacted, budgeted) : redacted;
}

/** A key may be a list of its lines, none of which is one by itself: its header or its END is in one of them. */
function saysPrivate(value: Json): boolean {
  if (typeof value === 'string') return value.includes(PRIVATE);
  return typeof value === 'object' && value !== null && Object.values(value).some(saysPrivate);
}

function redactAcross(value: Json, { detector, toolName, work = new WorkBudget() }: Redaction): Json {
  const said = JSON.stringify(value);
  work.grant(said.length);
  const rewriter = new TextRewriter(new Glance(said), 'secrets', new Tally());
  const confined = new ConfinedRewriter(said, rewriter, 'dropped');
  for (const { start, end, rule } of detector.each(said, { toolName, work })) confined.replace(start, end, { by: secretMark(rule), rule });
  if (!rewriter.isChanged) return value;
  // As deep as arguments may be: a result may be less deep, and a call must not leave the log by its depth.
  const read = copyPlain(JSON.parse(rewriter.finish().text));
  if (isRefused(read)) throw new DevsError('OUTPUT_WITHHELD', { cause: new Error(`the masked value: ${read.refusal.problem}`) });
  return read.value;
}

function redactValue(value: Json, redaction: Redaction, memberName?: string): Json {
  if (typeof value === 'string') return redactText(value, redaction, memberName);
  if (typeof value !== 'object' || value === null) return value;
  return isList(value) ? redactList(value, redaction, memberName) : redactObject(value, redaction);
}

function redactList(list: readonly Json[], redaction: Redaction, memberName?: string): readonly Json[] {
  let changed: Json[] | undefined;
  for (const [index, item] of list.entries()) {
    const redacted = redactValue(item, redaction, nameOfItem(list, index) ?? memberName);
    if (redacted !== item) (changed ??= [...list])[index] = redacted;
  }
  return changed ?? list;
}

/** Nothing is dropped: a value under a name that two share would be missing from the evidence. */
function redactObject(object: JsonObject, redaction: Redaction): JsonObject {
  const names = new DistinctNames();
  const values: (readonly [string, Json])[] = [];
  let changed = false;
  for (const [name, inner] of Object.entries(object)) {
    const redacted = redactValue(inner, redaction, nameOfMember(object, name));
    const cleanName = redactText(name, redaction);
    changed ||= redacted !== inner || cleanName !== name;
    names.add(name, cleanName);
    values.push([name, redacted]);
  }
  return changed ? Object.fromEntries(values.map(([name, value]) => [names.finalOf(name), value])) : object;
}

/** `Array.isArray` does not narrow a readonly array. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
