import type { ConfinedRequest } from '@devs/core';
import { PROFILE, type BoxProfile } from '../box-profile.ts';
import { ALLOW, assemble, end } from '../seccomp/bpf.ts';
import type { BoxScene, Configuration, Told, Weakened } from './box-scene.ts';

/** One way out of a box, and the guard that closes it: without the guard, the same attack gets out. */
export interface Attack {
  readonly name: string;
  /** Says TRIED when it begins and GOT when it got what it wanted. */
  readonly argv: (scene: BoxScene) => ConfinedRequest['argv'];
  readonly request?: (scene: BoxScene) => Partial<ConfinedRequest>;
  /** Default: it has said GOT. */
  readonly succeeded?: (told: Told, scene: BoxScene) => boolean;
  /** What is taken away for the negative control, and how. */
  readonly guard: string;
  readonly without: (scene: BoxScene) => Partial<Weakened>;
  /** What it holds by is a control group alone: where there is none it succeeds. By configuration. */
  readonly needsGroups?: readonly Configuration['name'][];
  /** Where the system itself stops the attack, too, so that its control cannot succeed: why. The attack is tried all the same. */
  readonly doubled?: Partial<Record<Configuration['name'], string>>;
}

type Argv = ConfinedRequest['argv'];

export function sh(script: string, ...words: readonly string[]): Argv {
  return ['/bin/sh', '-c', `echo TRIED; ${script}`, 'sh', ...words];
}

export function perl(script: string, ...words: readonly string[]): Argv {
  return ['/usr/bin/perl', '-e', `$| = 1; print "TRIED\\n"; ${script}`, ...words];
}

/** All arguments for bwrap but these, which stand beside each other. */
export function lacking(...words: readonly string[]): Partial<Weakened> {
  return replacing(words, []);
}

export function replacing(words: readonly string[], others: readonly string[]): Partial<Weakened> {
  return changing((all) => replaceOnce(all, words, others));
}

export function changing(change: (all: readonly string[]) => readonly string[]): Partial<Weakened> {
  return { profile: { ...PROFILE, toArguments: (request, mounts) => change(PROFILE.toArguments(request, mounts)) } };
}

/** Fails when they are not there: a control without a change would prove nothing. */
export function replaceOnce(all: readonly string[], words: readonly string[], others: readonly string[]): readonly string[] {
  const at = all.findIndex((_, index) => words.every((word, offset) => all[index + offset] === word));
  if (at === -1) throw new Error(`There is no guard to take away: ${words.join(' ')}`);
  return [...all.slice(0, at), ...others, ...all.slice(at + words.length)];
}

/** A command line without one of its limits, named as it begins. */
export function unlimited(...limits: readonly string[]): Partial<Weakened> {
  const toCommandLine: BoxProfile['toCommandLine'] = (request, prlimit) => PROFILE.toCommandLine(request, prlimit).filter((word) => !limits.some((limit) => word.startsWith(`${limit}=`)));
  return { profile: { ...PROFILE, toCommandLine } };
}

/** Every system call goes through. */
export const OPEN_FILTER: Partial<Weakened> = { profile: { ...PROFILE, createFilter: () => assemble([end(ALLOW)]) } };

/** Both. */
export function together(one: Partial<Weakened>, other: Partial<Weakened>): Partial<Weakened> {
  const changed = Object.fromEntries(Object.entries(other.profile ?? {}).filter(([key, value]) => Reflect.get(PROFILE, key) !== value));
  return { ...one, ...other, profile: { ...(one.profile ?? PROFILE), ...changed } };
}
