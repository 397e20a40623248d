import { findWeakenings, isRecord, nameSome, type DevsCoreConfig } from '@devs/core';
import { printableLine } from '../terminal/terminal.ts';
import { compareEntries, describeChange } from './changes.ts';
import { namesVariable, variablesOf } from './expand.ts';
import type { LoadedConfig } from './loaded-config.ts';
import { listCommands, listHosts } from './servers.ts';
import { cutText, revealValue } from './reveal.ts';
import { showEntries, type Showing } from './show.ts';
import type { TakenVariable } from './taken-variables.ts';
import type { ServerListing, TrustedServer } from './trusted-servers.ts';

interface Weakened {
  readonly key: string;
  readonly sentence: string;
}

/** Everything that somebody must see before a file is trusted. */
export interface Review {
  readonly file: string;
  readonly sha256: string;
  /** What the file itself says. */
  readonly written: Readonly<Record<string, unknown>>;
  readonly servers: ReviewedServers;
  readonly now: LoadedConfig;
  /** With nothing of this project's file. */
  readonly without: LoadedConfig;
  readonly after: LoadedConfig;
}

/** What the servers of the file run in the root, and take. */
export interface ReviewedServers extends ServerListing {
  /** The same as they were trusted last. */
  readonly trusted: readonly TrustedServer[];
  /** Names, each with the reason why nobody can know it. */
  readonly unknownRuns: readonly string[];
  readonly taken: readonly TakenVariable[];
}

/** What stands on the screen at once, beside what it weakens. */
const MOST_TAKEN = 24;
/** UTF-16 units of the name of a variable. */
const MAX_NAME_LENGTH = 48;

/** The file is the project's: what it hands to other programs is shown, or a hidden value would be the attack. */
const REVEALING: Showing = { member: revealValue, plain: revealValue };

/**
 * The lines to show, each safe for a terminal. What weakens stands last, right above the question: a
 * file that sets a thousand harmless keys must not push it off the screen.
 */
export function describeReview(review: Review): readonly string[] {
  const { file, sha256, written, servers } = review;
  const keys = describeKeys(review);
  const [commands, hosts, weakened] = [listCommands(written), listHosts(written), describeWeakenings(review)];
  const lines = [
    `File    ${file}`,
    `SHA-256 ${sha256}`,
    ...list(`It sets (${keys.length})`, keys),
    ...list(`Commands it names (${commands.length})`, commands),
    ...list(`Files of the project that they run (${countFiles(servers)}); what those load in turn is not checked`, describeFiles(servers)),
    ...(servers.refused.length === 0 ? [] : list(`Servers that do not start anyway (${servers.refused.length})`, servers.refused)),
    ...list(`Hosts it names (${hosts.length})`, hosts),
    ...list(sayWeakened(weakened), weakened.map(({ key, sentence }) => `${key}: ${sentence}`)),
    describeTaken(servers.taken),
  ];
  return lines.map(printableLine);
}

/** What is asked below those lines. It says once more that the file weakens something: whoever reads one line reads this one. */
export function describeQuestion(review: Review): string {
  const weakened = describeWeakenings(review);
  const warning = weakened.length === 0 ? '' : `${sayWeakened(weakened)}. `;
  return `${warning}Trust exactly this? Type yes; anything else leaves it untrusted: `;
}

function sayWeakened(weakened: readonly Weakened[]): string {
  const { size } = new Set(weakened.map(({ key }) => key));
  if (size === 0) return 'It weakens';
  return size === 1 ? 'It weakens 1 key' : `It weakens ${size} keys`;
}

function list(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [`${title}: nothing`] : [`${title}:`, ...items.map((item) => `  ${item}`)];
}

function countFiles({ servers }: ReviewedServers): number {
  return new Set(servers.flatMap(({ files }) => files.map(({ path }) => path))).size;
}

/** A server is started only while they are as they are now. */
function describeFiles({ servers, trusted }: ReviewedServers): readonly string[] {
  const before = new Map(filesOf(trusted).map(({ path, sha256 }) => [path, sha256]));
  const lines = filesOf(servers).map(({ path, real, sha256 }) => {
    const change = (before.get(path) ?? sha256) === sha256 ? '' : ' (changed since it was trusted: review it)';
    return `${path}${real === undefined ? '' : ` (leads to ${real})`} sha256 ${sha256}${change}`;
  });
  return [...new Set(lines)];
}

function filesOf(servers: readonly TrustedServer[]): TrustedServer['files'] {
  return servers.flatMap(({ files }) => files);
}

/** Names alone, right above the question: a token that leaves in the query of a long address is easily passed over. */
function describeTaken(taken: readonly TakenVariable[]): string {
  const shown = taken.slice(0, MOST_TAKEN).map(({ name, servers }) => `${name.slice(0, MAX_NAME_LENGTH)}${name.length > MAX_NAME_LENGTH ? '…' : ''} (${nameSome(servers)})`);
  const rest = taken.length > shown.length ? ` and ${taken.length - shown.length} more` : '';
  return `Variables of your environment that its servers take (${taken.length}): ${shown.join(', ') || 'none'}${rest}`;
}

/** Each key of the file with what is in force now; then what changes although the new file does not say it. */
function describeKeys({ written, now, after }: Review): readonly string[] {
  const inForce = new Map(showEntries(now.written).map((entry) => [entry.key, entry]));
  const said = showEntries(written, REVEALING);
  const set = said.map(({ key, shown, text }) => {
    const before = inForce.get(key);
    // What is in force may be the operator's own, and stays hidden.
    return `${cutText(key)}: ${cutText(shown)} (now ${before?.text === text ? 'the same' : cutText(before?.shown ?? 'not set')})`;
  });
  const changes = compareEntries([...inForce.values()], showEntries(after.written));
  const unsaid = changes.filter(({ key }) => !said.some((entry) => entry.key === key));
  return [...set, ...unsaid.map((change) => cutText(`${describeChange(change)} (no longer said)`))];
}

/** Against what would be in force without the file, and against what is: a file that says less than the last one weakens too. */
function describeWeakenings({ written, servers, now, without, after }: Review): readonly Weakened[] {
  const found = [without, now].flatMap((before) => findWeakenings(toShown(after), toShown(before)));
  const steered = showEntries(written)
    .filter(({ key, text }) => !key.startsWith('mcpServers') && namesVariable(text))
    .map(({ key, text }) => ({ key, sentence: `whoever starts devs chooses it, by ${nameSome(variablesOf(text))}` }));
  const unknown = servers.unknownRuns.length === 0 ? [] : [{ key: 'mcpServers', sentence: sayUnknown(servers.unknownRuns) }];
  return [...new Map([...found, ...steered, ...unknown].map((weakened) => [`${weakened.key}: ${weakened.sentence}`, weakened])).values()];
}

function sayUnknown(names: readonly string[]): string {
  const advice = 'run it in a sandbox ("sandbox": {"mode": "require"}) or from outside the project';
  return `what ${nameSome(names)} runs in the project is not known, and an agent can change it later; ${advice}`;
}

/** The names of files as they are written: a sentence that repeats them must not tell what the environment holds. */
function toShown({ config, written }: LoadedConfig): DevsCoreConfig {
  const files: Readonly<Record<string, unknown>> = isRecord(written['files']) ? written['files'] : {};
  const namesOf = (key: string) => (Array.isArray(files[key]) ? files[key].map(String) : []);
  const names = { protected: namesOf('protected'), writable: namesOf('writable'), allowed: namesOf('allowed'), blocked: namesOf('blocked') };
  return { ...config, files: { ...config.files, ...names } };
}
