import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_CONFIG, type DevsCoreConfig } from '@devs/core';
import { CONFIGURATIONS, type Configuration } from '../../confinement/__tests__/box-scene.ts';
import { BubblewrapConfinement } from '../../confinement/bubblewrap-confinement.ts';
import type { Disks } from '../../disks/disks.ts';
import { openFsRoot } from '../../open-fs-root.ts';
import type { BoxedServer, ServerTimers } from '../boxed-server.ts';
import { ServerBoxes, type PlannedBox } from '../server-boxes.ts';
import type { ServerOrder } from '../server-order.ts';

export { CONFIGURATIONS };

/** The clock as it is, as far as servers are ended by it. */
export const TIMERS: ServerTimers = {
  sleep: async (milliseconds, signal) => {
    await pause(milliseconds, undefined, { signal }).catch(() => undefined);
  },
};

/** What is otherwise than by default. */
export interface SceneChanges extends Partial<Pick<DevsCoreConfig, 'sandbox' | 'files'>> {
  readonly disks?: Disks;
  /** Where it is made. Default: the folder for temporary files. */
  readonly around?: string;
}

export type Answer = { readonly value: unknown } | { readonly error: string };

/** A started server that does what it is told. */
export interface ToldServer {
  readonly server: BoxedServer;
  /** Runs code in it, the body of a function; `load` imports. */
  readonly ask: (code: string) => Promise<Answer>;
}

/** With the Node that runs this, which need not be that of the system. */
export const SEARCH_PATH = `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
const SERVER = path.join(__dirname, 'eval-server.mjs');
const confinements = new Map<string, BubblewrapConfinement>();

/** A project, a home with secrets, devs's own state, and boxes for servers. All of a scene's servers end with it. */
export class ServerScene implements AsyncDisposable {
  readonly base: string;
  readonly root: string;
  readonly home: string;
  readonly state: string;
  /** Where devs would find its configuration. Not there. */
  readonly settings: string;
  readonly programs: string;
  readonly errors = new PassThrough();
  readonly boxes: ServerBoxes;
  readonly #files: ReturnType<typeof openFsRoot>;
  readonly #started: BoxedServer[] = [];

  constructor({ account, name }: Configuration, { disks, around = tmpdir(), ...config }: SceneChanges = {}) {
    this.base = realpathSync(mkdtempSync(path.join(around, 'devs-server-')));
    [this.root, this.home, this.state, this.programs] = [this.#make('project'), this.#make('home'), this.#make('state'), this.#make('programs')];
    this.settings = path.join(this.home, '.config/devs');
    chmodSync(this.base, 0o711);
    this.#files = openFsRoot({ root: this.root });
    this.program = this.write('programs/server.mjs', `#!${process.execPath}\n${readFileSync(SERVER, 'utf8')}`);
    chmodSync(this.program, 0o755);
    const confinement = confinements.get(name) ?? new BubblewrapConfinement({ root: '/nowhere', ...(account !== undefined && { account }) });
    confinements.set(name, confinement);
    this.boxes = new ServerBoxes({
      files: this.#files,
      confinement,
      config: { ...DEFAULT_CONFIG, ...config },
      closed: [this.state, this.settings],
      privateFolder: realpathSync(tmpdir()),
      home: this.home,
      errors: this.errors,
      ...(disks !== undefined && { disks }),
      ...(account !== undefined && { account }),
    });
  }

  readonly program: string;

  /** Writes a file below the base, folders and all, that everybody may read. */
  write(name: string, text: string): string {
    const file = path.join(this.base, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o644 });
    return file;
  }

  order(changes: Partial<ServerOrder> = {}): ServerOrder {
    const name = changes.name ?? 'one';
    return {
      name,
      folder: path.join(this.state, 'servers', name),
      command: this.program,
      args: [],
      cwd: this.root,
      env: { PATH: SEARCH_PATH, HOME: this.home },
      ownEnv: {},
      hosts: [],
      loopbackPorts: [],
      readWrite: [],
      readOnly: [],
      ...changes,
    };
  }

  async plan(changes: Partial<ServerOrder> = {}): Promise<PlannedBox> {
    return this.boxes.plan(this.order(changes));
  }

  async start(changes: Partial<ServerOrder> = {}): Promise<ToldServer> {
    const server = await this.boxes.start(this.order(changes), TIMERS);
    this.#started.push(server);
    return { server, ask: listenTo(server) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#started.map(async (server) => server.end()));
    this.#files[Symbol.dispose]();
    rmSync(this.base, { recursive: true, force: true });
  }

  #make(name: string): string {
    const folder = path.join(this.base, name);
    mkdirSync(folder, { mode: 0o755 });
    return folder;
  }
}

function listenTo({ input, output, exited }: BoxedServer): ToldServer['ask'] {
  const waiting = new Map<number, (answer: Answer) => void>();
  createInterface({ input: output }).on('line', (line) => {
    const { id, ...answer } = JSON.parse(line) as Answer & { id: number };
    waiting.get(id)?.(answer);
  });
  let next = 0;
  return async (code) => {
    next += 1;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    waiting.set(next, resolve);
    input.write(`${JSON.stringify({ id: next, code })}\n`);
    return Promise.race([promise, exited.then((exit): Answer => ({ error: JSON.stringify(exit) }))]);
  };
}
