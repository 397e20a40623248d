import { setTimeout as pause } from 'node:timers/promises';
import type { Confinement } from '@devs/core';
import type { Place } from './place.ts';
import { printableLine, writeTo } from './terminal.ts';
import type { UpstreamBoxes } from './upstream-boxes.ts';

/** Milliseconds from the start until the sandbox is tried out, unless a call needs it before. */
const AFTER_MS = 1_500;

type NoticePlace = Pick<Place, 'config' | 'terminal'>;

/** Loud, at every start: nobody should find out later that commands ran with all that they may do. */
export async function warnOfNoSandbox({ config, terminal }: NoticePlace): Promise<void> {
  if (config.sandbox.tools !== 'off') return;
  await writeTo(terminal.status, 'WARNING: the sandbox is switched off ("sandbox": {"tools": "off"}): commands and code run with all that you may do.\n');
}

/** At every start, too: what a server does on the machine no gate sees. */
export async function tellOfUnconfined({ unasked }: Pick<UpstreamBoxes, 'unasked'>, { terminal }: Pick<Place, 'terminal'>): Promise<void> {
  if (unasked.length === 0) return;
  const names = unasked.map((name) => JSON.stringify(name)).join(', ');
  await writeTo(terminal.status, `${printableLine(`Servers that run unconfined, as you would run them: ${names}. To have them run in boxes, or not at all: "sandbox": {"upstreams": "require"}. More: devs doctor`)}\n`);
}

/** Says what commands will be refused for, once that is known. Nobody waits for it: files are served meanwhile. */
export async function tellOfSandbox(confinement: Confinement, { terminal }: NoticePlace): Promise<void> {
  // A client's first question comes first: the probe starts a Node of its own.
  await pause(AFTER_MS, undefined, { ref: false });
  const { usable, guarantees } = await confinement.probe();
  if (usable) return;
  const [missing] = guarantees.filter(({ state, guarantee }) => state !== 'enforced' && guarantee !== 'memory');
  const fix = missing?.fix === undefined ? '' : ` To mend it: ${missing.fix}.`;
  const line = `Commands and code are refused: ${missing?.detail ?? 'they cannot be confined here'}.${fix} More: devs doctor`;
  await writeTo(terminal.status, `${printableLine(line)}\n`).catch(() => undefined);
}
