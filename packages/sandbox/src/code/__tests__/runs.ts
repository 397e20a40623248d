import type { CodeOutcome, CodePlan, ConfinedRequest, Confinement, ToolResult } from '@devs/core';
import type { Configuration } from '../../confinement/__tests__/box-scene.ts';
import { BubblewrapConfinement } from '../../confinement/bubblewrap-confinement.ts';
import { CodeEngine } from '../code-engine.ts';
import { createCodeRunner } from '../create-code-runner.ts';

export const NOTICE_ID = '31415926';

export interface RunSettings extends Partial<Omit<CodePlan, 'code'>> {
  readonly maxToolCalls?: number;
  /** Path of what the run's box runs instead of the guest: somebody who has taken it over. */
  readonly intruder?: string;
  /** Of the process. Default: two minutes. */
  readonly wallMs?: number;
  /** Of all processes of the box. Default: a GiB. */
  readonly memoryBytes?: number;
  /** Makes another box of the one that the engine's image is made in. */
  readonly engineBox?: (request: ConfinedRequest) => ConfinedRequest;
  /** Is shown what the box of the run is asked for. */
  readonly box?: (request: ConfinedRequest) => void;
}

export interface CallSeen {
  readonly tool: string;
  readonly args: unknown;
}

export interface SeenRun extends CodeOutcome {
  readonly seen: readonly CallSeen[];
}

const LIMITS = { wallMs: 120_000, outputBytes: 65_536, memoryBytes: 1_073_741_824, processes: 64, fileBytes: 1_048_576, openFiles: 256 };

/** Milliseconds that code which never ends is given at first, and at most. */
const [FIRST_MS, LAST_MS] = [400, 100_000] as const;

/** Runs code in real boxes of one configuration: where they cannot be had these tests fail. */
export class CodeScene {
  readonly #confinement: Confinement;
  readonly #engine: CodeEngine;

  constructor({ account }: Configuration) {
    this.#confinement = new BubblewrapConfinement({ root: '/nonexistent', ...(account === undefined ? {} : { account }) });
    this.#engine = new CodeEngine(this.#confinement);
  }

  /** Tools answer with the JSON of their arguments, where nothing else is said. */
  readonly run = async (code: string, settings: RunSettings = {}): Promise<SeenRun> => {
    const { maxToolCalls = 50, wallMs = LIMITS.wallMs, memoryBytes = LIMITS.memoryBytes, intruder, box, engineBox, callTool = echo, ...plan } = settings;
    const seen: CallSeen[] = [];
    const isWatched = [intruder, box, engineBox].some((setting) => setting !== undefined);
    const engine = isWatched ? new CodeEngine(this.#watched(settings)) : this.#engine;
    const runner = createCodeRunner({ engine, limits: { ...LIMITS, wallMs, memoryBytes }, maxToolCalls, noticeId: NOTICE_ID });
    const outcome = await runner.run({
      code,
      tools: ['read_file', 'other-server.list'],
      signal: new AbortController().signal,
      ...plan,
      callTool: (tool, args, signal) => {
        seen.push({ tool, args });
        return callTool(tool, args, signal);
      },
    });
    return { ...outcome, seen };
  };

  /** Of code that never ends: with more time, until it has begun, so that the speed of the machine decides nothing. */
  readonly runEndless = async (code: string, settings: Omit<RunSettings, 'timeoutMs'> = {}): Promise<SeenRun> => {
    for (let timeoutMs = FIRST_MS; ; timeoutMs *= 2) {
      const run = await this.run(code, { ...settings, timeoutMs });
      if (run.printed !== '' || run.calls > 0 || timeoutMs > LAST_MS) return run;
    }
  };

  /** Boxes that are looked at, and may hold an intruder; but not the first one, which makes the image, and never sees code. */
  #watched({ intruder, box: look, engineBox = (request) => request }: RunSettings): Confinement {
    const confinement = this.#confinement;
    let boxes = 0;
    const spawn = async (request: ConfinedRequest) => {
      boxes += 1;
      // It has all that it needs, whatever a test gives to the code.
      if (boxes === 1) return confinement.spawn(engineBox({ ...request, limits: LIMITS }));
      look?.(request);
      if (intruder === undefined) return confinement.spawn(request);
      return confinement.spawn({ ...request, argv: [request.argv[0], intruder], mounts: [...request.mounts, { source: intruder, access: 'read' }] });
    };
    return { name: confinement.name, probe: async () => confinement.probe(), exec: async (request, options) => confinement.exec(request, options), spawn };
  }
}

export function textResult(...texts: readonly string[]): ToolResult {
  return { content: texts.map((text) => ({ type: 'text', text })) };
}

const echo: CodePlan['callTool'] = async (_tool, args) => Promise.resolve(textResult(JSON.stringify(args)));
