import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { constants, openSync } from 'node:fs';
import { Duplex, Writable } from 'node:stream';
import { type ConfinedRequest, DevsError, errnoOf, type Mount } from '@devs/core';
import type { BoxProfile } from './box-profile.ts';
import { BoxStatus } from './box-status.ts';
import { FD, type PinnedMount } from './bubblewrap-arguments.ts';
import { Descriptors, openData, openInput, reopen } from './descriptors.ts';
import { isWithin } from '../files/is-within.ts';
import { streamFrom, type Pipe, type Pipes } from './pipes.ts';
import type { TreeStreams } from './running-tree.ts';

/** What does not change from one box to the next. */
export interface LaunchParts {
  readonly bubblewrap: string;
  readonly prlimit: string;
  readonly profile: BoxProfile;
  readonly pipes: Pipes;
  /** Descriptor of the filter, open for as long as boxes are started. */
  readonly filter: number;
  /** Inherited descriptors that must not come into a box. */
  readonly inherited: readonly number[];
  /** Account that boxes run as, where devs is root and should not be: `--reuid` and so on of setpriv. */
  readonly become: readonly string[];
}

/** A bwrap that was started, and what it says of itself. */
export interface Launched {
  readonly child: ChildProcess;
  readonly streams: TreeStreams;
  readonly channel: Duplex | undefined;
  readonly status: BoxStatus;
}

/** Pipes that a box is started with: what it says, and what bwrap says. */
export const PIPES_OF_A_BOX = 3;

/** Enters groups, then becomes bwrap: what it starts is born within. Each file is an argument, so none is read as shell. */
const ENTER = 'while [ "$1" != -- ]; do echo 0 > "$1" || exit 125; shift; done; shift; exec "$@"';

/** What is new with each box. */
export interface BoxOrder {
  readonly request: ConfinedRequest;
  /** All that it reads from its standard input; undefined: a stream, which cannot be opened by its name there. */
  readonly input: Uint8Array | string | undefined;
  /** Files that a process writes 0 into to become a member of a group. */
  readonly doors: readonly string[];
}

/** Starts a box. All that could fail or be swapped is opened before. */
export function launch(order: BoxOrder, parts: LaunchParts): Launched {
  using lent = new Descriptors();
  using own = new Descriptors();
  const pipes = takePipes(parts.pipes, lent, own);
  const [file = '', ...rest] = commandOf(order, parts);
  const stdio = arrangeStdio(order, { parts, pipes, lent });
  // Of its own session: a Ctrl-C for devs is for devs to hand on.
  const child = spawn(file, rest, { env: parts.profile.environment, cwd: '/', detached: true, stdio });
  own.release();
  keepGate(child);
  return {
    child,
    streams: { stdin: child.stdin ?? nowhere(), stdout: streamFrom(pipes.stdout.ours), stderr: streamFrom(pipes.stderr.ours) },
    channel: channelOf(child, order.request),
    status: new BoxStatus(pipes.status.ours),
  };
}

function commandOf({ request, doors }: BoxOrder, { bubblewrap, prlimit, become, profile }: LaunchParts): readonly string[] {
  const box = [...become, bubblewrap, '--args', String(FD.args), '--', ...profile.toCommandLine(request, prlimit)];
  return doors.length === 0 ? box : ['/bin/sh', '-c', ENTER, 'sh', ...doors, '--', ...box];
}

type BoxPipes = Readonly<Record<'stdout' | 'stderr' | 'status', Pipe>>;

function takePipes(pipes: Pipes, lent: Descriptors, own: Descriptors): BoxPipes {
  const take = (): Pipe => {
    const { ours, theirs } = pipes.take();
    return { ours: own.keep(ours), theirs: lent.keep(theirs) };
  };
  return { stdout: take(), stderr: take(), status: take() };
}

interface StdioParts {
  readonly parts: LaunchParts;
  readonly pipes: BoxPipes;
  readonly lent: Descriptors;
}

/** By number in bwrap: what is there, and over what would come along uninvited something that leads nowhere. */
function arrangeStdio({ request, input }: BoxOrder, { parts: { profile, filter, inherited }, pipes, lent }: StdioParts): StdioOptions {
  const { mounts, places } = pinMounts(request, profile, lent);
  const words = profile.toArguments(request, mounts);
  // Each ends with one: a value that holds it would go on as a flag of bwrap, and mount what it likes.
  if (words.some((word) => word.includes('\0'))) throw new DevsError('COMMAND_REFUSED', { sentence: 'A path or a variable of the command holds a NUL; nothing was run.' });
  // A file and not a pipe: of a pipe whose writer is killed bwrap would obey the first half.
  const args = lent.keep(openData(`${words.join('\0')}\0`));
  const nothing = lent.keep(openSync('/dev/null', constants.O_RDWR));
  const stdin = input === undefined ? ('pipe' as const) : lent.keep(openInput(input));
  const channel = request.channel === true ? ('pipe' as const) : nothing;
  const own = [stdin, pipes.stdout.theirs, pipes.stderr.theirs, channel, args, lent.keep(reopen(filter)), pipes.status.theirs, 'pipe' as const, ...places];
  // `ignore` leaves a descriptor as it is: right between the inherited ones, and wrong for them.
  const length = Math.max(own.length, ...inherited.map((fd) => fd + 1));
  return Array.from({ length }, (_, fd) => own[fd] ?? (inherited.includes(fd) ? nothing : 'ignore'));
}

interface Pinned {
  readonly mounts: readonly PinnedMount[];
  /** Open here; in the box's bwrap they follow each other from `FD.firstMount`. */
  readonly places: readonly number[];
}

/** Opens the mounts that lie where a process in this or another box may write: there a path can lead elsewhere from one moment to the next. */
function pinMounts({ mounts }: ConfinedRequest, profile: BoxProfile, lent: Descriptors): Pinned {
  const writable = mounts.filter(({ access }) => access === 'write').map(({ source }) => source);
  const places: number[] = [];
  const pinned = mounts.flatMap((mount): PinnedMount[] => {
    const isSwappable = mount.pinned === true || writable.some((folder) => isWithin(mount.source, folder));
    if (mount.access === 'hidden' || !isSwappable) return [{ ...mount, fd: undefined }];
    const place = openMount(mount, profile);
    if (place === undefined) return [];
    places.push(lent.keep(place));
    return [{ ...mount, fd: FD.firstMount + places.length - 1 }];
  });
  return { mounts: pinned, places };
}

function openMount({ source, optional = false }: Mount, { openPlace }: BoxProfile): number | undefined {
  try {
    return openPlace(source);
  } catch (error) {
    if (optional && errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function channelOf({ stdio }: ChildProcess, { channel = false }: ConfinedRequest): Duplex | undefined {
  const stream = stdio[FD.channel];
  return channel && stream instanceof Duplex ? stream : undefined;
}

/** Says that devs is there, when the box asks. */
function keepGate({ stdio }: ChildProcess): void {
  const gate: unknown = stdio.at(FD.gate);
  if (!(gate instanceof Duplex)) return;
  // A box that ends before it asks has its own way of telling.
  gate.on('error', () => gate.destroy()).once('data', () => gate.end('\n'));
}

/** It was given all of its input before. */
function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
