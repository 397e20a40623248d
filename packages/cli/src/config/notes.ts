import path from 'node:path';
import { shellQuote } from '../terminal/shell-quote.ts';
import { printableLine } from '../terminal/terminal.ts';
import { compareEntries, describeChange, readEntries } from './changes.ts';
import { describeDoubts } from './doubts.ts';
import type { LoadedConfig } from './loaded-config.ts';
import type { ProjectFile } from './project-file.ts';
import { listRefusedServers } from './server-check.ts';
import { CONFIG_FILE } from './sources.ts';
import type { TrustRecord } from './trust-record.ts';

/** A changed file may differ in any number of keys. */
const MAX_CHANGES = 10;

/** What a person must know of the configuration before the work begins: one line a fact, none when there is nothing to say. */
export async function describeNotes(loaded: LoadedConfig, root: string): Promise<readonly string[]> {
  const { config, sources, layers } = loaded;
  const doubts = describeDoubts(config).map((doubt) => `Configuration: ${doubt}`);
  if (sources.kind === 'operator') return [`Configuration: ${sources.path}`, ...doubts].map(printableLine);
  const { user, project } = sources;
  const userNote = user.bytes === undefined ? notUsed(user.path, user.notUsed) : [`Configuration: ${user.path}`];
  const applied = layers.find(({ role }) => role === 'project');
  // The root's file is no news to somebody who named another, unless it is what is in force.
  const told = project.filter((file, index) => index === 0 || file.path === applied?.path);
  const projectNotes = await Promise.all(told.map(async (file) => describeProjectFile(file, { root, applied: applied?.path === file.path })));
  const place = { root, variables: process.env, trustCommand: (file: string) => trustCommandFor(file, root) };
  return [...userNote, ...projectNotes.flat(), ...doubts, ...(await listRefusedServers(loaded, place))].map(printableLine);
}

/** The command that shows a project file and asks whether it is trusted. */
export function trustCommandFor(file: string, root: string): string {
  const place = root === process.cwd() ? '' : ` --root ${shellQuote(root)}`;
  const named = file === path.join(root, CONFIG_FILE) ? '' : ` --config ${shellQuote(file)}`;
  return `devs config trust${place}${named}`;
}

function notUsed(file: string, problem: string | undefined): readonly string[] {
  return problem === undefined ? [] : [`Not applied: ${file} ${problem}.`];
}

async function describeProjectFile(file: ProjectFile, { root, applied }: { root: string; applied: boolean }): Promise<readonly string[]> {
  const { path: name, record, current, distrust } = file;
  if (record !== undefined && applied) return [await describeTrusted(file, record, root)];
  if (current.kind === 'absent') return [];
  if (current.kind === 'unusable') return notUsed(name, current.problem);
  if (distrust !== undefined) return notUsed(name, `cannot be trusted: ${distrust}`);
  return [`Not applied: ${name} is in the project and not trusted. To review it: ${trustCommandFor(name, root)}`];
}

async function describeTrusted({ path: name, current }: ProjectFile, { sha256, bytes, trustedAt }: TrustRecord, root: string): Promise<string> {
  const stays = `what was trusted on ${trustedAt} stays in force`;
  if (current.kind === 'absent') return `Configuration: ${name} is gone; ${stays}. To end that, write {} there and trust it.`;
  if (current.kind === 'unusable') return `Configuration: ${name} ${current.problem} now; ${stays}.`;
  if (current.bytes.equals(bytes)) return `Configuration: ${name}, trusted on ${trustedAt} (sha256 ${sha256.slice(0, 16)})`;
  const difference = await describeDifference(bytes, current.bytes);
  return `Configuration: ${name} has changed; ${stays}: ${difference}. To review it: ${trustCommandFor(name, root)}`;
}

async function describeDifference(trusted: Buffer, current: Buffer): Promise<string> {
  const [before, after] = [await readEntries(trusted), await readEntries(current)];
  if (before === undefined || after === undefined) return 'it is not valid JSON now';
  const changes = compareEntries(before, after);
  if (changes.length === 0) return 'no key differs';
  const rest = changes.length - MAX_CHANGES;
  return changes.slice(0, MAX_CHANGES).map(describeChange).join(', ') + (rest > 0 ? `, and ${rest} more` : '');
}
