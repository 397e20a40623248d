import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DEFAULT_CONFIG, settingsFor, type CommandOutcome, type CommandPlan, type Confinement, type DevsCoreConfig, type Enforcement, type ExclusiveLock } from '@devs/core';
import { createConfinedWork, type ProjectBoxes } from '../../confined-work.ts';
import type { BoxObstacle } from '../../box-obstacle.ts';
import type { Account } from '../../confinement/bubblewrap-confinement.ts';
import type { Disks } from '../../disks/disks.ts';
import { openConfinement } from '../../open-confinement.ts';
import type { GuardedFsRoot } from '../../guarded-fs-root.ts';
import { openFsRoot } from '../../open-fs-root.ts';
import type { NamedFolders } from '../../files/protected-patterns.ts';

export interface SceneOptions {
  readonly config?: Partial<DevsCoreConfig>;
  readonly searchPath?: string;
  readonly confinement?: Confinement;
  /** Default: one that is free. */
  readonly lock?: ExclusiveLock;
  readonly home?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Folders of devs itself. */
  readonly closed?: readonly string[];
  readonly account?: Account;
  /** Home folders: see `PROTECTED_FILES`. */
  readonly homes?: readonly string[];
  /** What `files.writable` lifts. */
  readonly writable?: readonly string[];
  readonly disks?: Disks;
  /** Folders that the environment names. */
  readonly named?: NamedFolders;
}

export interface Ran {
  readonly outcome: CommandOutcome;
  readonly stdout: string;
  readonly stderr: string;
  /** What the call was told to be held by, before it began. */
  readonly enforcement: Enforcement | undefined;
}

const FREE: ExclusiveLock = { acquire: async () => Promise.resolve({ [Symbol.dispose]: () => undefined }) };

/** A folder of its own, with a project in it and room beside it. */
export class Playground implements Disposable {
  readonly base: string;
  readonly root: string;

  /** @param around where it is made. Default: the folder for temporary files */
  constructor(around = tmpdir()) {
    this.base = realpathSync(mkdtempSync(path.join(around, 'devs-project-')));
    this.root = path.join(this.base, 'project');
    mkdirSync(this.root);
  }

  /** Writes files below the base, folders and all. */
  write(files: Readonly<Record<string, string>>): void {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(this.base, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
  }

  /** Runs a command as `shell_exec` does. */
  async run(plan: Pick<CommandPlan, 'argv'> & Partial<CommandPlan>, options: SceneOptions = {}): Promise<Ran> {
    using files = this.#open(options);
    const { config, work } = this.#work(files, options);
    const { timeoutMs = 120_000 } = options;
    let enforcement: Enforcement | undefined;
    const call = {
      settings: settingsFor(config, 'shell_exec'),
      signal: options.signal ?? new AbortController().signal,
      timeoutMs,
      enforced: (told: Enforcement) => {
        enforcement = told;
      },
    };
    const outcome = await work.commands(call).run({ keepBytes: 100_000, ...plan });
    return { outcome, stdout: textOf(outcome.stdout), stderr: textOf(outcome.stderr), enforcement };
  }

  /** Why commands would be refused. */
  async findObstacle(options: SceneOptions = {}): Promise<BoxObstacle | undefined> {
    using files = this.#open(options);
    const { config, work } = this.#work(files, options);
    return await work.findObstacle(settingsFor(config, 'shell_exec'));
  }

  #open({ closed = [], homes = [], writable = [], named = {} }: SceneOptions): GuardedFsRoot {
    return openFsRoot({ root: this.root, protectedFolders: closed, homes, writable, named });
  }

  #work(files: GuardedFsRoot, options: SceneOptions): { readonly config: DevsCoreConfig; readonly work: ProjectBoxes } {
    const config = { ...DEFAULT_CONFIG, ...options.config };
    const { searchPath = process.env['PATH'] ?? '', home = path.join(this.base, 'home'), closed = [], account, lock = FREE, disks } = options;
    const confinement = options.confinement ?? openConfinement({ root: this.root, sandbox: config.sandbox, searchPath });
    const privateFolder = path.join(this.base, 'private');
    const own = { files, confinement, lock, config, closed, privateFolder, searchPath, home, noticeId: '12345678' };
    return { config, work: createConfinedWork({ ...own, ...(account !== undefined && { account }), ...(disks !== undefined && { disks }) }) };
  }

  [Symbol.dispose](): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}

function textOf({ head, tail }: CommandOutcome['stdout']): string {
  return Buffer.concat([head, tail]).toString('utf8');
}
