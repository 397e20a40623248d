import { isRecord } from '@devs/core';
import { toJsonText } from '../terminal/terminal.ts';
import { namesVariable, REFERENCE, variablesOf } from './expand.ts';
import { cutText, revealJson, revealText, revealValue } from './reveal.ts';

/** The commands that a project's file names: program and arguments as JSON, where it runs, and what it is given. */
export function listCommands(written: Readonly<Record<string, unknown>>): readonly string[] {
  return servers(written).flatMap(([name, { command, args, cwd, env }]) => {
    if (command === undefined) return [];
    const words: unknown = revealValue('', Array.isArray(args) ? [command].concat(args) : [command]);
    // Each is cut alone, so that a long one hides no other.
    const argv = Array.isArray(words) ? words.map((word) => cutText(toJsonText(word))).join(',') : '';
    const folder = cwd === undefined ? '' : ` in ${revealJson('cwd', cwd)}`;
    return [`${name}: [${argv}]${folder}${describeMembers(env)}`];
  });
}

/** The hosts that a project's file names, the whole address, and the headers that are sent there. */
export function listHosts(written: Readonly<Record<string, unknown>>): readonly string[] {
  return servers(written).flatMap(([name, { url, headers }]) => (typeof url === 'string' ? [`${name}: ${hostOf(url)} (${addressOf(url)})${describeMembers(headers)}`] : []));
}

function servers(written: Readonly<Record<string, unknown>>): readonly [string, Record<string, unknown>][] {
  const { mcpServers } = written;
  return isRecord(mcpServers) ? Object.entries(mcpServers).flatMap(([name, server]) => (isRecord(server) ? [[name, server]] : [])) : [];
}

function describeMembers(members: unknown): string {
  if (!isRecord(members) || Object.keys(members).length === 0) return '';
  const shown = Object.entries(members).map(([name, value]) => `${cutText(toJsonText(name))}=${revealJson(name, value)}`);
  return ` with ${shown.join(' ')}`;
}

/** As a client reads it, where a backslash is a slash: an eye is easily led past the host. */
function addressOf(url: string): string {
  const address = namesVariable(url) ? undefined : URL.parse(url)?.href;
  return cutText(revealText('', address ?? url.replaceAll('\\', '/')));
}

/**
 * As a client reads the URL: `https://good.example\@evil.example` and its kind have fooled many an eye. A variable in the
 * query takes something to that host; one before the path's slash may be, or make, the host itself.
 */
function hostOf(url: string): string {
  const read = (standIn: (name: string) => string) =>
    URL.parse(url.replaceAll(REFERENCE, (whole) => (whole === '$${' ? whole : standIn(variablesOf(whole)[0] ?? ''))));
  // Digits, so that they can stand for a port too; others, to see whether the host is made of them.
  const [one, other] = [read(() => '40961'), read(() => '40962')];
  if (one?.hostname === undefined || one.hostname !== other?.hostname) return namesVariable(url) ? 'a host from the environment' : 'not a URL';
  const makers = variablesOf(url).filter((name) => read((each) => (each === name ? '40961@other.invalid/' : '40961'))?.hostname !== one.hostname);
  const host = one.host === other.host ? one.host : one.hostname;
  return makers.length === 0 ? host : `${host}, or what the environment makes of it by ${makers.join(', ')}`;
}
