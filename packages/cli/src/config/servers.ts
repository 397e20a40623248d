import { isRecord } from '@devs/core';
import { toJsonText } from '../terminal.ts';
import { namesVariable } from './expand.ts';
import { HIDDEN, showUrl } from './show.ts';

/** Variables that make a program load code or take another: they are instructions, not secrets, and are shown whole. */
const STEERING = /^(LD_|DYLD_|NODE_|NPM_CONFIG_|PYTHON|PERL5|RUBY|JAVA_TOOL|_JAVA|JDK_JAVA|GIT_|DEVS_|PATH$|BASH_ENV$|ENV$|SHELL$|EDITOR$)/i;
const SECRET = /TOKEN|SECRET|PASS|KEY|AUTH/i;

/** The commands that a file names: program and arguments as JSON, where it runs, and what it is given. */
export function listCommands(written: Readonly<Record<string, unknown>>): readonly string[] {
  return servers(written).flatMap(([name, { command, args, cwd, env }]) => {
    if (command === undefined) return [];
    const argv: readonly unknown[] = Array.isArray(args) ? [command].concat(args) : [command];
    const folder = cwd === undefined ? '' : ` in ${toJsonText(cwd)}`;
    return [`${name}: ${toJsonText(argv)}${folder}${describeVariables(env)}`];
  });
}

/** The hosts that a file names. */
export function listHosts(written: Readonly<Record<string, unknown>>): readonly string[] {
  return servers(written).flatMap(([name, { url }]) => (typeof url === 'string' ? [`${name}: ${hostOf(url)} (${showUrl(url)})`] : []));
}

function servers(written: Readonly<Record<string, unknown>>): readonly [string, Record<string, unknown>][] {
  const { mcpServers } = written;
  return isRecord(mcpServers) ? Object.entries(mcpServers).flatMap(([name, server]) => (isRecord(server) ? [[name, server]] : [])) : [];
}

function describeVariables(env: unknown): string {
  if (!isRecord(env) || Object.keys(env).length === 0) return '';
  const shown = Object.entries(env).map(([name, value]) => `${toJsonText(name)}=${isInstruction(name) ? toJsonText(value) : HIDDEN}`);
  return ` with ${shown.join(' ')}`;
}

function isInstruction(name: string): boolean {
  return STEERING.test(name) && !SECRET.test(name);
}

/** As a client reads the URL: `https://good.example\@evil.example` and its kind have fooled many an eye. */
function hostOf(url: string): string {
  if (namesVariable(url)) return 'a host from the environment';
  return URL.parse(url)?.host ?? 'not a URL';
}
