import { FORMATS, NUMBER_FORMATS, PATH_FORMAT } from './formats.ts';
import type { JsonObject } from '../../../json.ts';
import { isList, keywordOf, type Evaluate, type KeywordCompiler } from '../evaluation/node.ts';
import { quoteName } from '../evaluation/words.ts';

/** Asserted, not only noted. A format that nobody knows says nothing, unless the schema is ours. */
export const format: KeywordCompiler = ({ value: name, schema, scope }) => {
  if (typeof name !== 'string') return scope.refuse('must be a string');
  if (name === PATH_FORMAT) {
    if (!mayBeText(schema)) return scope.refuse('marks a path where no text can be: it belongs to the schema of the text');
    scope.markPaths();
    return markPath;
  }
  const known = textFormat(name) ?? numberFormat(name);
  if (known === undefined && scope.isStrict) return scope.refuse(`is not a format that devs knows: ${quoteName(name)}`);
  return known;
};

/** A mark that has no effect is a check that its author believes in and nobody makes. */
function mayBeText(schema: JsonObject): boolean {
  const type = keywordOf(schema, 'type');
  return type === undefined || type === 'string' || (isList(type) && type.includes('string'));
}

const markPath: Evaluate = (value, run) => {
  if (typeof value === 'string') run.markPath(value);
  return true;
};

function textFormat(name: string): Evaluate | undefined {
  const known = FORMATS.get(name);
  if (known === undefined) return undefined;
  const finding = { keyword: 'format', problem: `must match format "${name}"`, expected: `a text in the format ${name}` };
  return (value, run) => {
    if (typeof value !== 'string') return true;
    run.spend(8 + known.price(value.length));
    return known.fits(value) || run.fail(value, () => finding);
  };
}

function numberFormat(name: string): Evaluate | undefined {
  const fits = NUMBER_FORMATS.get(name);
  if (fits === undefined) return undefined;
  const finding = { keyword: 'format', problem: `must match format "${name}"`, expected: `a number in the format ${name}` };
  return (value, run) => typeof value !== 'number' || fits(value) || run.fail(value, () => finding);
}
