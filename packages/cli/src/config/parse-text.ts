import { fromPointer } from '@devs/core';
import type * as jsonc from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';

/** Deeper than any configuration; parsers that call themselves would run out of stack. */
const MAX_DEPTH = 32;

/** More than these help nobody. A position costs a pass over the file: cut before any is looked for. */
export const MAX_PROBLEMS = 20;

export interface TextProblem {
  /** `3:14`: line and column, from 1. */
  readonly position: string;
  readonly problem: string;
}

export type ParsedText =
  | { readonly ok: true; readonly value: unknown; readonly positionOf: (pointer: string) => string }
  | { readonly ok: false; readonly problems: readonly TextProblem[] };

const SENTENCES: ReadonlyMap<string, string> = new Map([
  ['PropertyNameExpected', 'a key in double quotes is missing here (JSON has no trailing commas)'],
  ['ValueExpected', 'a value is missing here'],
  ['ColonExpected', 'a colon is missing here'],
  ['CommaExpected', 'a comma is missing here'],
  ['CloseBraceExpected', 'a closing } is missing'],
  ['CloseBracketExpected', 'a closing ] is missing'],
  ['EndOfFileExpected', 'nothing may follow the object'],
  ['InvalidCommentToken', 'JSON has no comments'],
  ['UnexpectedEndOfComment', 'JSON has no comments'],
  ['UnexpectedEndOfString', 'a text is not closed'],
  ['InvalidCharacter', 'a text holds a control character'],
]);

type Parser = Pick<typeof jsonc, 'createScanner' | 'parseTree' | 'printParseErrorCode'>;

/** Strict JSON in UTF-8, a byte order mark tolerated, that can say where each key stands. Never throws. */
export async function parseConfigText(bytes: Uint8Array): Promise<ParsedText> {
  // Fetched for a file alone: most starts have none, and would wait for it.
  const parser: Parser = await import('jsonc-parser');
  const text = decode(bytes);
  if (text === undefined) return refuse([{ position: '1:1', problem: 'is not UTF-8' }]);
  const deep = findTooDeep(text, parser);
  if (deep !== undefined) return refuse([{ position: toPosition(text, deep), problem: `is nested deeper than ${MAX_DEPTH}` }]);
  const { tree, error } = parseStrictly(text, parser);
  if (error !== undefined || tree === undefined) return refuse([toProblem(text, error?.offset, error && parser.printParseErrorCode(error.error))]);
  const doubled = findDoubledKeys(tree).slice(0, MAX_PROBLEMS);
  if (doubled.length > 0) return refuse(doubled.map((node) => ({ position: toPosition(text, node.offset), problem: sayDoubled(node) })));
  return toParsed(text, tree);
}

/** The first error alone: what follows it is mostly its echo. */
function parseStrictly(text: string, { parseTree }: Parser): { readonly tree?: Node | undefined; readonly error?: ParseError | undefined } {
  const errors: ParseError[] = [];
  try {
    return { tree: parseTree(text, errors, { disallowComments: true, allowTrailingComma: false }), error: errors[0] };
  } catch {
    // Brackets that do not pair mislead the count of the depth, and the parser runs out of stack: no JSON either way.
    return { error: errors[0] };
  }
}

function toParsed(text: string, tree: Node): ParsedText {
  // Not from the tree: its objects are filled by assignment, where `__proto__` is no key.
  const value: unknown = JSON.parse(text);
  return { ok: true, value, positionOf: (pointer) => toPosition(text, locate(tree, fromPointer(pointer))) };
}

function refuse(problems: readonly TextProblem[]): ParsedText {
  return { ok: false, problems };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Token by token, as the parser will read them: a text that holds a bracket is longer than the bracket. */
function findTooDeep(text: string, { createScanner }: Parser): number | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  do {
    scanner.scan();
    const token = scanner.getTokenLength() === 1 ? text.charAt(scanner.getTokenOffset()) : '';
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (depth > MAX_DEPTH) return scanner.getTokenOffset();
  } while (scanner.getPosition() < text.length);
  return undefined;
}

function toProblem(text: string, offset = 0, code = ''): TextProblem {
  return { position: toPosition(text, offset), problem: `is not JSON: ${SENTENCES.get(code) ?? 'this is not understood'}` };
}

/** A reviewer reads the first, a parser takes the last. */
function findDoubledKeys(node: Node): readonly Node[] {
  const children = node.children ?? [];
  const seen = new Set<unknown>();
  const doubled = children.filter((child) => {
    if (child.type !== 'property') return false;
    const name: unknown = child.children?.[0]?.value;
    return seen.size === seen.add(name).size;
  });
  return [...doubled, ...children.flatMap(findDoubledKeys)];
}

function sayDoubled(property: Node): string {
  return `the key ${JSON.stringify(property.children?.[0]?.value)} appears here a second time`;
}

/** Where the key of the last name stands, or the nearest place around it. */
function locate(node: Node, [name, ...rest]: readonly string[], fallback: number = node.offset): number {
  if (name === undefined) return fallback;
  const child = node.type === 'array' ? node.children?.[Number(name)] : node.children?.find(({ children }) => children?.[0]?.value === name);
  if (child === undefined) return fallback;
  return locate(child.type === 'property' ? (child.children?.[1] ?? child) : child, rest, child.offset);
}

function toPosition(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `${before.length}:${(before.at(-1) ?? '').length + 1}`;
}
