import { isRecord } from '../json.ts';
import { closestName } from './closest-name.ts';
import { OWN_KEYS, SERVER_KEYS } from './mcp-servers-schema.ts';
import { toPointer } from './pointer.ts';
import type { ConfigProblem } from './problems.ts';

/** Where devs's own tools come from, in the scope of a token and in the log. */
const OWN_SOURCE = 'built-in';

/** Names that no server can have, beside those that the schema refuses. */
function findNameProblems(name: string): readonly ConfigProblem[] {
  const rule = ruleOfName(name);
  return rule === undefined ? [] : [{ pointer: toPointer(['mcpServers', name]), problem: rule, rule }];
}

function ruleOfName(name: string): string | undefined {
  // A token for devs's own tools would reach the server's.
  if (name.toLowerCase() === OWN_SOURCE) return 'cannot be the name of a server: "built-in" are devs’s own tools, where tokens name what they reach';
  // JavaScript puts such keys before all others, so that a project's server would come before the operator's, and have their names.
  if (/^\d+$/.test(name)) return 'cannot be the name of a server: one of digits alone would stand before those of other files; put a letter into it';
  return undefined;
}

/**
 * Keys of other programs pass, so that a pasted file holds. One that was meant for devs would pass with them, and
 * `"Sandbox": { "mode": "require" }` be a box that is not there.
 */
function findKeyProblems(name: string, server: Readonly<Record<string, unknown>>): readonly ConfigProblem[] {
  return Object.entries(server).flatMap(([key, value]) => {
    const rule = ruleOfKey(key, value);
    return rule === undefined ? [] : [{ pointer: toPointer(['mcpServers', name, key]), problem: rule, rule }];
  });
}

function ruleOfKey(key: string, value: unknown): string | undefined {
  if (SERVER_KEYS.includes(key)) return undefined;
  const lower = key.toLowerCase();
  if (lower === 'enabled') return value === true ? undefined : 'is not read by devs unless it is true; to leave the server out, write "disabled": true';
  // Of what all clients have, the case alone: VS Code's `dev` is two letters away from `env`.
  const meant = SERVER_KEYS.find((known) => known.toLowerCase() === lower) ?? closestName(key, OWN_KEYS);
  return meant === undefined ? undefined : `is an unknown key; did you mean "${meant}"; keys of other programs may stand here, but none so near to one of devs`;
}

type Server = Readonly<Record<string, unknown>>;

/**
 * Texts of a server that no process and no request can be given. Node refuses them at the start of the server, with the value in
 * its message, which ends in a log. So they are refused here, in sentences that never hold a value: what stands in `env` and
 * `headers` are secrets. Each points to what the text stands in, since a text that a problem points to is shown as it is written.
 */
function findTextProblems(name: string, server: Server): readonly ConfigProblem[] {
  const { args, env, headers } = server;
  const at = (key: string | undefined, rules: readonly string[]) => rules.map((rule) => ({ pointer: toPointer(['mcpServers', name, ...(key === undefined ? [] : [key])]), problem: rule, rule }));
  return [
    ...at(undefined, [...['command', 'cwd', 'url'].flatMap((key) => findNul(JSON.stringify(key), server[key])), ...findUrlRule(server)]),
    ...at('args', Array.isArray(args) ? args.flatMap((text: unknown, index) => findNul(`text ${String(index + 1)}`, text)) : []),
    ...at('env', isRecord(env) ? Object.entries(env).flatMap(([variable, value]) => rulesOfVariable(variable, value)) : []),
    ...at('headers', isRecord(headers) ? Object.entries(headers).flatMap(([header, value]) => rulesOfHeader(header, value)) : []),
  ];
}

function findNul(what: string, text: unknown): readonly string[] {
  return typeof text === 'string' && text.includes('\u0000') ? [`must not have a NUL character in ${what}`] : [];
}

/** What the schema takes for a URL may still be none. Node drops line breaks: what is reviewed would not be what is reached. */
function findUrlRule({ url }: Server): readonly string[] {
  if (typeof url !== 'string' || url.includes('\u0000') || !/^https?:\/\/[^/]/.test(url)) return [];
  if (/\p{Cc}/u.test(url)) return ['must not have control characters in "url"'];
  return URL.canParse(url) ? [] : ['must have a "url" that is one: there is no such host or port'];
}

/** A name that is none is not repeated: people write `NAME=value` into it. */
function rulesOfVariable(variable: string, value: unknown): readonly string[] {
  if (variable === '' || variable.includes('=') || variable.includes('\u0000')) return ['must not have a name that is empty, or that holds = or a NUL character: no variable can be called so'];
  return findNul(JSON.stringify(variable), value);
}

/** RFC 9110, section 5.6.2: a token. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** What Node puts on the wire; a line break would be another header, or another request. */
const HEADER_VALUE = /^[\t -~\u0080-\u00ff]*$/;
/** They say where a request ends and who gets it: another one would be made of the rest. */
const OF_THE_CONNECTION = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'expect']);

function rulesOfHeader(header: string, value: unknown): readonly string[] {
  if (!HEADER_NAME.test(header)) return ['must not have a name that no HTTP header can have: it is of letters, digits and -, without colon or space'];
  if (OF_THE_CONNECTION.has(header.toLowerCase())) return [`must not have ${JSON.stringify(header)}: devs sets it by itself`];
  if (typeof value !== 'string' || HEADER_VALUE.test(value)) return [];
  return [`must not have a line break, a control character or one beyond Latin-1 in ${JSON.stringify(header)}: HTTP cannot carry it`];
}

/** What is wrong with servers and no schema can say. Of anything at all: what is no object the schema refuses. */
export function findServerProblems(config: unknown): readonly ConfigProblem[] {
  const servers = isRecord(config) ? config['mcpServers'] : undefined;
  if (!isRecord(servers)) return [];
  return Object.entries(servers).flatMap(([name, server]) => [
    ...findNameProblems(name),
    ...(isRecord(server) ? [...findKeyProblems(name, server), ...findTextProblems(name, server)] : []),
  ]);
}
