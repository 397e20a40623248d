import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Confinement, Mount, PathReach, ProcessLimits, ProcessOutcome } from '@devs/core';
import { BubblewrapConfinement } from '../../confinement/bubblewrap-confinement.ts';
import { patternsWithout, ProtectedPatterns } from '../../files/protected-patterns.ts';
import { Protection } from '../../files/protection.ts';
import { PlantedGuard, type PlantedGuardOptions } from '../planted-guard.ts';
import { createRepositoryWriter, type RepositoryWriterOptions } from '../repository-writer.ts';

export const IDENTITY = { name: 'Agent', email: 'agent@example.com' };

const LIMITS: ProcessLimits = {
  wallMs: 120_000,
  outputBytes: 10_000_000,
  memoryBytes: 4_294_967_296,
  processes: 256,
  fileBytes: 536_870_912,
  openFiles: 1_024,
};

/** The user's own git, on the machine: as bare as can be, and with all that a configuration of the project may ask of it. */
const USER_ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'User',
  GIT_AUTHOR_EMAIL: 'user@example.com',
  GIT_COMMITTER_NAME: 'User',
  GIT_COMMITTER_EMAIL: 'user@example.com',
};

/** A project in a folder of its own, git of its user, and what devs does there. */
export class GitScene implements Disposable {
  readonly base: string;
  readonly root: string;
  readonly temporary: string;
  readonly protection = new Protection({ patterns: new ProtectedPatterns(patternsWithout([])), folders: [] });
  readonly confinement: Confinement;
  readonly guard: PlantedGuard;
  #ids = 0;

  constructor(name = 'project') {
    this.base = mkdtempSync(path.join(realpathSync(tmpdir()), 'devs-git-'));
    chmodSync(this.base, 0o755);
    this.root = path.join(this.base, name);
    this.temporary = path.join(this.base, 'state');
    mkdirSync(this.root);
    mkdirSync(this.temporary, { mode: 0o700 });
    this.confinement = new BubblewrapConfinement({ root: this.root });
    this.guard = this.newGuard();
  }

  newGuard(root = this.root, more: Partial<PlantedGuardOptions> = {}): PlantedGuard {
    return new PlantedGuard({ root, protection: this.protection, createId: () => this.createId(), ...more });
  }

  createId(): string {
    this.#ids += 1;
    return `id${String(this.#ids)}`;
  }

  at(...names: string[]): string {
    return path.join(this.root, ...names);
  }

  write(name: string, content: string, mode = 0o644): void {
    mkdirSync(path.dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), content, { mode });
    chmodSync(this.at(name), mode);
  }

  /** A repository with one commit of one file. */
  init(...args: readonly string[]): this {
    this.git('init', '-q', '-b', 'main', ...args);
    this.write('a.txt', 'one\n');
    this.git('add', 'a.txt');
    this.git('commit', '-q', '-m', 'first');
    return this;
  }

  hook(name: string, script: string): void {
    this.write(`.git/hooks/${name}`, `#!/bin/sh\n${script}\n`, 0o755);
  }

  git(...args: readonly string[]): string {
    return this.gitIn(this.root, ...args);
  }

  gitIn(folder: string, ...args: readonly string[]): string {
    return execFileSync('git', [...args], { cwd: folder, env: USER_ENVIRONMENT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd();
  }

  /** A file that only what runs outside of a box can make. */
  get marker(): string {
    return path.join(this.base, 'marker');
  }

  get hasRunOutside(): boolean {
    return existsSync(this.marker);
  }

  /** Puts a program where the project's configuration may name it. It leaves the marker. */
  payload(name = 'payload.sh'): string {
    this.write(name, `#!/bin/sh\n: > '${this.marker}'\n`, 0o755);
    return this.at(name);
  }

  mounts(existing: readonly string[]): readonly Mount[] {
    return [{ source: this.root, access: 'write' }, ...existing.map((source) => ({ source, access: 'read' }) as const)];
  }

  /** A script of the agent's in a box, in which all of the project may be written but what `mounts` takes out. */
  async run(script: string, mounts: readonly Mount[] = this.mounts([])): Promise<ProcessOutcome> {
    const request = { argv: ['/bin/sh', '-ec', script] as const, cwd: this.root, env: {}, mounts, hosts: [], limits: LIMITS };
    const outcome = await this.confinement.exec(request, { signal: new AbortController().signal, keepBytes: 10_000 });
    if (outcome.exit.kind === 'setup') throw new Error(outcome.exit.detail);
    return outcome;
  }

  options(more: Partial<RepositoryWriterOptions> = {}): RepositoryWriterOptions {
    return {
      root: this.root,
      protection: this.protection,
      guard: this.guard,
      confinement: this.confinement,
      identity: IDENTITY,
      limits: LIMITS,
      mounts: (existing) => this.mounts(existing),
      env: {},
      temporaryFolder: this.temporary,
      signal: new AbortController().signal,
      createId: () => this.createId(),
      ...more,
    };
  }

  within(reach: PathReach): Protection {
    return this.protection.within(reach);
  }

  async commit(message: string, paths?: readonly string[], more: Partial<RepositoryWriterOptions> = {}) {
    return await createRepositoryWriter(this.options(more)).commit({ message, ...(paths !== undefined && { paths }) });
  }

  /** What a commit replaces: branch, index, logs, and everything else in the git folder but objects. */
  gitState(): ReadonlyMap<string, string> {
    const folder = this.at('.git');
    if (!existsSync(folder)) return new Map();
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && !entry.parentPath.startsWith(path.join(folder, 'objects')));
    return new Map(entries.map((entry) => path.join(entry.parentPath, entry.name)).map((file) => [file, readFileSync(file, 'latin1')]));
  }

  [Symbol.dispose](): void {
    // What an attack has closed an ordinary user has to open first.
    execFileSync('chmod', ['-R', 'u+rwX', this.base]);
    rmSync(this.base, { recursive: true, force: true });
  }
}
