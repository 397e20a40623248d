import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ConfinedProcess, ConfinedRequest, Mount, ProcessExit } from '@devs/core';
import { PROFILE, type BoxProfile } from '../box-profile.ts';
import { BoxStarter, type BubblewrapParts } from '../box-starter.ts';
import { mayReach } from '../account-reach.ts';
import { findParts, type Account } from '../bubblewrap-confinement.ts';
import { collect } from '../collect.ts';

/** As whom devs runs, and as whom its boxes do. */
export interface Configuration {
  readonly name: 'root' | 'account' | 'user';
  readonly account?: Account;
}

/** Nobody in particular: the number that every system has for that. */
export const ORDINARY: Account = { uid: 65_534, gid: 65_534 };

/** Of this process: root tries both, and has an ordinary user's tried by a process of one. */
export const CONFIGURATIONS: readonly Configuration[] = process.getuid?.() === 0 ? ofRoot() : [{ name: 'user' }];

/** An account can be tried only where it may read what runs: `configurations.slow.test.ts` says where it may not. */
function ofRoot(): readonly Configuration[] {
  const isRequired = process.env['DEVS_REQUIRE_SANDBOX'] === '1';
  return isRequired || mayReach(process.execPath, ORDINARY) ? [{ name: 'root' }, { name: 'account', account: ORDINARY }] : [{ name: 'root' }];
}

/** What a box is made with, to be made weaker. */
export interface Weakened {
  readonly profile: BoxProfile;
  readonly hasGroups: boolean;
}

export interface Told {
  readonly exit: ProcessExit;
  readonly out: string;
  readonly err: string;
}

export const LIMITS = { wallMs: 60_000, outputBytes: 1_000_000, memoryBytes: 2_147_483_648, processes: 100, fileBytes: 10_000_000, openFiles: 256 } as const;

const WHOLE: Weakened = { profile: PROFILE, hasGroups: true };

const known = new Map<Configuration, BubblewrapParts>();

/** Found once, as devs does: most of the time of a test would go there. */
function partsOf(configuration: Configuration): BubblewrapParts {
  const before = known.get(configuration);
  if (before !== undefined) return before;
  const { account } = configuration;
  const parts = findParts({ root: '/nowhere', ...(account === undefined ? {} : { account }) });
  if ('fix' in parts) throw new Error(`The escape tests cannot run: ${parts.detail}. ${parts.fix}`);
  known.set(configuration, parts);
  return parts;
}

/** A project, something beside it that boxes must not have, and boxes. */
export class BoxScene implements Disposable {
  readonly configuration: Configuration;
  /** Not for boxes. */
  readonly folder = mkdtempSync(path.join(tmpdir(), 'devs-escape-'));
  readonly root = path.join(this.folder, 'project');
  readonly outside = path.join(this.folder, 'outside');
  readonly secret = `found-${String(process.pid)}-${String(process.hrtime.bigint())}`;
  readonly parts: BubblewrapParts;

  constructor(configuration: Configuration) {
    this.configuration = configuration;
    this.parts = partsOf(configuration);
    for (const folder of [this.root, this.outside]) mkdirSync(folder);
    writeFileSync(path.join(this.outside, 'secret'), this.secret, { mode: 0o666 });
    chmodSync(path.join(this.outside, 'secret'), 0o666);
    chmodSync(this.folder, 0o711);
    this.give(this.root);
  }

  /** Makes it the box's own, as far as it is not. */
  give(place: string): void {
    const { account } = this.configuration;
    if (account !== undefined) chownSync(place, account.uid, account.gid);
  }

  /** A folder or file of the project with this text; the last name of a folder ends with `/`. */
  plant(name: string, text = ''): string {
    const place = path.join(this.root, name);
    if (name.endsWith('/')) mkdirSync(place, { recursive: true });
    else writeFileSync(place, text);
    this.give(place);
    return place;
  }

  request(argv: ConfinedRequest['argv'], changes: Partial<ConfinedRequest> = {}): ConfinedRequest {
    const mounts: readonly Mount[] = [{ source: this.root, access: 'write' }, ...(changes.mounts ?? [])];
    return { argv, cwd: this.root, env: {}, hosts: [], limits: LIMITS, ...changes, mounts };
  }

  async start(request: ConfinedRequest, { profile, hasGroups }: Weakened = WHOLE): Promise<ConfinedProcess> {
    const groups = hasGroups ? this.parts.groups : { create: () => undefined };
    const starter = new BoxStarter({ ...this.parts, groups, profile });
    return starter.start(request, { enforcement: { by: 'test', guarantees: [] }, input: '' });
  }

  async run(request: ConfinedRequest, weakened: Weakened = WHOLE): Promise<Told> {
    const running = await this.start(request, weakened);
    const { exit, stdout, stderr } = await collect(running, { signal: new AbortController().signal, keepBytes: 100_000 });
    return { exit, out: Buffer.from(stdout.head).toString(), err: Buffer.from(stderr.head).toString() };
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
