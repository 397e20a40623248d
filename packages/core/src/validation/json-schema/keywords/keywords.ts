import type { KeywordCompiler } from '../evaluation/node.ts';
import { annotation, nameText, refuseAsync, vocabulary } from './annotations.ts';
import { contains, itemsOf07, itemsOf2020, limitItems, prefixItems, uniqueItems } from './arrays.ts';
import { allOf, anyOf, conditional, not, oneOf } from './choices.ts';
import { format } from './format.ts';
import { limitNumber, multipleOf } from './numbers.ts';
import { additionalProperties, patternProperties, properties, propertyNames } from './properties.ts';
import { definitions, dynamicReference, recursiveReference, reference } from './references.ts';
import { dependencies, dependentRequired, dependentSchemas, limitNames, required } from './required.ts';
import { limitText, pattern } from './texts.ts';
import { unevaluatedItems, unevaluatedProperties } from './unevaluated.ts';
import { constant, enumeration, type } from './values.ts';

export type DialectName = 'draft-07' | 'draft/2019-09' | 'draft/2020-12';

interface KeywordEntry {
  readonly keyword: string;
  readonly compile: KeywordCompiler;
  /** Absent: all of them. */
  readonly dialects?: readonly DialectName[];
}

const SINCE_2019: readonly DialectName[] = ['draft/2019-09', 'draft/2020-12'];
const UNTIL_2019: readonly DialectName[] = ['draft-07', 'draft/2019-09'];
const ONLY_2019: readonly DialectName[] = ['draft/2019-09'];
const ONLY_2020: readonly DialectName[] = ['draft/2020-12'];

/** What the dialects know, in the order in which it is looked at: the cheap and telling first, `unevaluated…` last. */
export const KEYWORDS: readonly KeywordEntry[] = [
  { keyword: '$async', compile: refuseAsync },
  { keyword: 'type', compile: type },
  { keyword: 'const', compile: constant },
  { keyword: 'enum', compile: enumeration },
  { keyword: 'minimum', compile: limitNumber },
  { keyword: 'maximum', compile: limitNumber },
  { keyword: 'exclusiveMinimum', compile: limitNumber },
  { keyword: 'exclusiveMaximum', compile: limitNumber },
  { keyword: 'multipleOf', compile: multipleOf },
  { keyword: 'minLength', compile: limitText },
  { keyword: 'maxLength', compile: limitText },
  { keyword: 'format', compile: format },
  { keyword: 'pattern', compile: pattern },
  { keyword: 'minItems', compile: limitItems },
  { keyword: 'maxItems', compile: limitItems },
  { keyword: 'minProperties', compile: limitNames },
  { keyword: 'maxProperties', compile: limitNames },
  { keyword: 'required', compile: required },
  { keyword: 'dependentRequired', compile: dependentRequired, dialects: SINCE_2019 },
  { keyword: '$ref', compile: reference },
  { keyword: '$dynamicRef', compile: dynamicReference, dialects: ONLY_2020 },
  { keyword: '$recursiveRef', compile: recursiveReference, dialects: ONLY_2019 },
  { keyword: 'properties', compile: properties },
  { keyword: 'patternProperties', compile: patternProperties },
  { keyword: 'additionalProperties', compile: additionalProperties },
  { keyword: 'propertyNames', compile: propertyNames },
  { keyword: 'dependencies', compile: dependencies },
  { keyword: 'dependentSchemas', compile: dependentSchemas, dialects: SINCE_2019 },
  { keyword: 'prefixItems', compile: prefixItems, dialects: ONLY_2020 },
  { keyword: 'items', compile: itemsOf2020, dialects: ONLY_2020 },
  { keyword: 'items', compile: itemsOf07, dialects: UNTIL_2019 },
  { keyword: 'additionalItems', compile: definitions, dialects: UNTIL_2019 },
  { keyword: 'contains', compile: contains },
  { keyword: 'minContains', compile: limitItems, dialects: SINCE_2019 },
  { keyword: 'maxContains', compile: limitItems, dialects: SINCE_2019 },
  { keyword: 'uniqueItems', compile: uniqueItems },
  { keyword: 'allOf', compile: allOf },
  { keyword: 'anyOf', compile: anyOf },
  { keyword: 'oneOf', compile: oneOf },
  { keyword: 'not', compile: not },
  { keyword: 'if', compile: conditional },
  { keyword: 'then', compile: definitions },
  { keyword: 'else', compile: definitions },
  { keyword: 'unevaluatedProperties', compile: unevaluatedProperties, dialects: SINCE_2019 },
  { keyword: 'unevaluatedItems', compile: unevaluatedItems, dialects: SINCE_2019 },
  { keyword: '$defs', compile: definitions },
  { keyword: 'definitions', compile: definitions },
  { keyword: 'contentSchema', compile: definitions, dialects: SINCE_2019 },
  { keyword: '$schema', compile: nameText },
  { keyword: '$id', compile: nameText },
  { keyword: '$anchor', compile: nameText, dialects: SINCE_2019 },
  { keyword: '$dynamicAnchor', compile: nameText, dialects: ONLY_2020 },
  { keyword: '$recursiveAnchor', compile: annotation, dialects: ONLY_2019 },
  { keyword: '$vocabulary', compile: vocabulary, dialects: SINCE_2019 },
  { keyword: '$comment', compile: annotation },
  { keyword: 'title', compile: annotation },
  { keyword: 'description', compile: annotation },
  { keyword: 'default', compile: annotation },
  { keyword: 'examples', compile: annotation },
  { keyword: 'deprecated', compile: annotation },
  { keyword: 'readOnly', compile: annotation },
  { keyword: 'writeOnly', compile: annotation },
  { keyword: 'contentEncoding', compile: annotation },
  { keyword: 'contentMediaType', compile: annotation },
];
