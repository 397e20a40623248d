import { isRecord, toPointer } from '@devs/core';

/** Bytes of UTF-8 that the references of one file may put in: a small file can name a large variable thousands of times. */
const MAX_PUT_IN = 1_048_576;

/** The environment. */
export type Variables = Readonly<Record<string, string | undefined>>;

export interface ExpansionProblem {
  readonly pointer: string;
  /** Follows the key in a sentence; never holds a value from the environment. */
  readonly problem: string;
}

export interface Expansion {
  readonly value: unknown;
  readonly problems: readonly ExpansionProblem[];
}

/**
 * `${VAR}` and `${VAR:-default}` in the texts of parsed JSON; `$${` stands for `${`. Working on values and
 * not on the file's text, no variable can close a quote and add keys. Keys are left as they are.
 * As in a shell, the default also stands in for an empty variable. More than 1 MiB put in, all texts
 * together, is a problem; what follows it is not expanded.
 */
export function expandVariables(value: unknown, variables: Variables): Expansion {
  const problems: ExpansionProblem[] = [];
  const room = { left: MAX_PUT_IN };
  const expand = (inner: unknown, names: readonly string[]): unknown => {
    if (typeof inner === 'string') {
      return expandText(inner, { variables, room }, (problem) => problems.push({ pointer: toPointer(names), problem }));
    }
    if (Array.isArray(inner)) return inner.map((item, index) => expand(item, [...names, String(index)]));
    if (!isRecord(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, item]) => [name, expand(item, [...names, name])]));
  };
  return { value: expand(value, []), problems };
}

/** Whether a text takes something from the environment. */
export function namesVariable(text: string): boolean {
  return variablesOf(text).length > 0;
}

/** The variables that a text names, each once. */
export function variablesOf(text: string): readonly string[] {
  const names = [...text.matchAll(REFERENCE)].flatMap(([, body]) => (body === undefined ? [] : (/^[A-Za-z_]\w*/.exec(body)?.[0] ?? [])));
  return [...new Set(names)];
}

/** Of a text: `$${`, which stands for `${`, or what takes from the environment. */
export const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;

type Report = (problem: string) => void;

interface Scope {
  readonly variables: Variables;
  /** Shared by all texts of a file. */
  readonly room: { left: number };
}

function expandText(text: string, { variables, room }: Scope, report: Report): string {
  return text.replace(REFERENCE, (whole: string, body: string | undefined, end: string | undefined) => {
    if (room.left < 0) return '';
    const value = body === undefined ? '${' : (resolve({ body, isClosed: end !== '' }, variables, report) ?? whole);
    room.left -= Buffer.byteLength(value);
    if (room.left >= 0) return value;
    report(`takes the file beyond the ${MAX_PUT_IN} bytes that its \${NAME} may insert; use shorter variables, or fewer`);
    return '';
  });
}

/** Undefined, and a report, for what stands for nothing. */
function resolve({ body, isClosed }: { body: string; isClosed: boolean }, variables: Variables, report: Report): string | undefined {
  const match = /^(?<name>[A-Za-z_]\w*)(?::-(?<byDefault>.*))?$/s.exec(body);
  const { name, byDefault } = match?.groups ?? {};
  if (name === undefined || !isClosed) {
    report('contains a ${ that is neither ${NAME} nor ${NAME:-default}; write $${ for the characters themselves');
    return undefined;
  }
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (byDefault !== undefined) return value || byDefault;
  if (value === undefined) report(`needs the environment variable ${name}, which is not set; set it, or write \${${name}:-default}`);
  return value;
}
