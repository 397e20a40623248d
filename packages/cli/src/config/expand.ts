import { isRecord, toPointer } from '@devs/core';

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
 * As in a shell, the default also stands in for an empty variable.
 */
export function expandVariables(value: unknown, variables: Variables): Expansion {
  const problems: ExpansionProblem[] = [];
  const expand = (inner: unknown, names: readonly string[]): unknown => {
    if (typeof inner === 'string') {
      return expandText(inner, variables, (problem) => problems.push({ pointer: toPointer(names), problem }));
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

/** The variables that a text names. */
export function variablesOf(text: string): readonly string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, body]) => (body === undefined ? [] : (/^[A-Za-z_]\w*/.exec(body)?.[0] ?? [])));
}

const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;

function expandText(text: string, variables: Variables, report: (problem: string) => void): string {
  return text.replace(REFERENCE, (whole, body: string | undefined, end: string | undefined) => {
    if (body === undefined) return '${';
    const match = /^(?<name>[A-Za-z_]\w*)(?::-(?<byDefault>.*))?$/s.exec(body);
    const { name, byDefault } = match?.groups ?? {};
    if (name === undefined || end === '') {
      report('holds a ${ that is neither ${NAME} nor ${NAME:-default}; write $${ for the characters themselves');
      return whole;
    }
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (byDefault !== undefined) return value || byDefault;
    if (value === undefined) report(`needs the environment variable ${name}, which is not set; set it, or write \${${name}:-default}`);
    return value ?? whole;
  });
}
