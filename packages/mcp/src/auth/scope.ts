/** What a scope looks at. Every `RegisteredTool` has it. */
export interface ScopedTool {
  readonly name: string;
  readonly source: string;
  readonly effects: boolean;
}

export interface BehindServer {
  /** As the configuration calls it. */
  readonly name: string;
  /** What stands, with `__`, before the names of its tools. Empty: nothing does. */
  readonly namespace: string;
}

/** What a client may reach. What it may not, it is not told of: the tool is unknown to it. */
export interface Scope {
  readonly allows: (tool: ScopedTool) => boolean;
  /** Which servers behind devs are there for the client at all: one of which it may call nothing is not even started for it. */
  readonly serves: (server: BehindServer) => boolean;
  /** True when the operator says that a person sits behind it, whose answers count. */
  readonly interactive: boolean;
}

/** A scope as it is kept. Each member narrows; all of them have to allow. */
export interface ScopeRules {
  /** Names, `*` for any characters. Absent: all. Empty: none. */
  readonly tools?: readonly string[];
  /** Sources of tools: names of servers, or `built-in`. Absent: all. Empty: none. */
  readonly servers?: readonly string[];
  /** True: only what changes nothing anywhere. Default false. */
  readonly readOnly?: boolean;
  /** Default false. */
  readonly interactive?: boolean;
}

/** Of a name that is cut, so many characters stay as they are. */
const SURE_LENGTH = 48;

/** Of the token of the first start: whoever starts devs has it, and uses it for the program that they sit at. */
export const WHOLE_SCOPE: Scope = Object.freeze(createScope({ interactive: true }));

export function createScope({ tools, servers, readOnly = false, interactive = false }: ScopeRules): Scope {
  const sources = servers === undefined ? undefined : new Set(servers);
  const allows = ({ name, source, effects }: ScopedTool): boolean =>
    (!readOnly || !effects) && (sources === undefined || sources.has(source)) && (tools === undefined || tools.some((pattern) => matchesPattern(pattern, name)));
  const serves = ({ name, namespace }: BehindServer): boolean => {
    // Each tool of theirs counts as one that changes things.
    if (readOnly || sources?.has(name) === false) return false;
    if (tools === undefined || namespace === '') return tools?.length !== 0;
    const beginnings = [`${namespace}__`.slice(0, SURE_LENGTH), `${name}/`];
    return tools.some((pattern) => beginnings.some((beginning) => mayMatch(pattern, beginning)));
  };
  return { allows, serves, interactive };
}

/** Whether the pattern matches any name that begins so. */
function mayMatch(pattern: string, beginning: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  return first.startsWith(beginning) || (rest.length > 0 && beginning.startsWith(first));
}

/** Whole names; `*` stands for any characters, also for none. Each part is looked for once, so no pattern takes long. */
export function matchesPattern(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
