import { setTimeout as pause } from 'node:timers/promises';
import type { ConfinementReport, DevsCoreConfig, RegisteredTool } from '@devs/core';
import type { Composition } from '../compose.ts';
import type { Place } from '../place.ts';
import type { UpstreamBoxes } from '../servers/upstream-boxes.ts';
import { printableLine, writeTo } from '../terminal/terminal.ts';

/** Milliseconds from the start until the sandbox is tried out, unless a call needs it before. */
const AFTER_MS = 1_500;

type NoticePlace = Pick<Place, 'config' | 'terminal'>;

/** Loud, at every start: nobody should find out later that commands ran with all that they may do. */
export async function warnOfNoSandbox({ config, terminal }: NoticePlace): Promise<void> {
  if (config.sandbox.tools !== 'off') return;
  await writeTo(terminal.status, 'WARNING: the sandbox is switched off ("sandbox": {"tools": "off"}): commands and code run with your own permissions.\n');
}

/** At every start, too: what a server does on the machine no gate sees. */
export async function tellOfUnconfined({ unasked }: Pick<UpstreamBoxes, 'unasked'>, { terminal }: Pick<Place, 'terminal'>): Promise<void> {
  if (unasked.length === 0) return;
  const names = unasked.map((name) => JSON.stringify(name)).join(', ');
  await writeTo(terminal.status, `${printableLine(`Servers that run unconfined, with your own permissions: ${names}. To run them in sandboxes, or not at all: "sandbox": {"upstreams": "require"}. More: devs doctor`)}\n`);
}

/** Of tools that run programs, those whose boxes show the project. */
export function showsProject(kind: RegisteredTool['kind']): boolean {
  return kind === 'command' || kind === 'repository';
}

/** Says what commands will be refused for, once that is known. Nobody waits for it: files are served meanwhile. */
export async function tellOfSandbox(devs: ToldOf, { terminal, config }: NoticePlace): Promise<void> {
  // A client's first question comes first: the probe starts a Node of its own.
  await pause(AFTER_MS, undefined, { ref: false });
  // devs may have ended meanwhile, and its folder with it.
  const line = await describeRefusals(devs, config).catch(() => undefined);
  if (line === undefined) return;
  await writeTo(terminal.status, `${printableLine(`${line} More: devs doctor`)}\n`).catch(() => undefined);
}

type ToldOf = Pick<Composition, 'confinement' | 'findObstacle' | 'registry'>;

async function describeRefusals({ confinement, findObstacle, registry }: ToldOf, { sandbox }: DevsCoreConfig): Promise<string | undefined> {
  const report = await confinement.probe();
  if (!report.usable) return describeMissing(report);
  if (sandbox.tools === 'off') return undefined;
  const shown = registry.listTools().filter(({ kind }) => showsProject(kind));
  const judged = await Promise.all(shown.map(async ({ name, settings }) => ({ name, obstacle: await findObstacle(settings) })));
  const refused = judged.flatMap(({ name, obstacle }) => (obstacle === undefined ? [] : [{ name, obstacle }]));
  const [first] = refused;
  return first === undefined ? undefined : `Refused: ${refused.map(({ name }) => name).join(', ')}. ${first.obstacle.sentence} To fix it: ${first.obstacle.fix}.`;
}

function describeMissing({ guarantees }: ConfinementReport): string {
  const [missing] = guarantees.filter(({ state, guarantee }) => state !== 'enforced' && guarantee !== 'memory');
  const fix = missing?.fix === undefined ? '' : ` To fix it: ${missing.fix}.`;
  return `Commands and code are refused: ${missing?.detail ?? 'they cannot be confined here'}.${fix}`;
}
