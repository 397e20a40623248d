import type { CodeOutcome, CodePlan, ConfinedRequest, Confinement, ToolResult } from '@devs/core';
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

/** The real box: where it cannot be had these tests fail. */
const confinement = new BubblewrapConfinement({ root: '/nonexistent' });

const LIMITS = { wallMs: 120_000, outputBytes: 65_536, memoryBytes: 1_073_741_824, processes: 64, fileBytes: 1_048_576, openFiles: 256 };

const engine = new CodeEngine(confinement);

/** Runs code in a real box. Tools answer with the JSON of their arguments, where nothing else is said. */
export async function runCode(code: string, settings: RunSettings = {}): Promise<SeenRun> {
  const { maxToolCalls = 50, intruder, wallMs = LIMITS.wallMs, box, callTool = echo, ...plan } = settings;
  const seen: CallSeen[] = [];
  const used = intruder === undefined && box === undefined ? engine : new CodeEngine(watched(intruder, box));
  const runner = createCodeRunner({ engine: used, limits: { ...LIMITS, wallMs }, maxToolCalls, noticeId: NOTICE_ID });
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
}

/** Boxes that are looked at, and may hold an intruder; but not the first one, which makes the image, and never sees code. */
function watched(intruder: string | undefined, look: RunSettings['box']): Confinement {
  let boxes = 0;
  const spawn = async (request: ConfinedRequest) => {
    boxes += 1;
    // It has all the time that it needs, whatever a test gives to the code.
    if (boxes === 1) return confinement.spawn({ ...request, limits: LIMITS });
    look?.(request);
    if (intruder === undefined) return confinement.spawn(request);
    return confinement.spawn({ ...request, argv: [request.argv[0], intruder], mounts: [...request.mounts, { source: intruder, access: 'read' }] });
  };
  return { name: confinement.name, probe: async () => confinement.probe(), exec: async (request, options) => confinement.exec(request, options), spawn };
}

export function textResult(...texts: readonly string[]): ToolResult {
  return { content: texts.map((text) => ({ type: 'text', text })) };
}

const echo: CodePlan['callTool'] = async (_tool, args) => Promise.resolve(textResult(JSON.stringify(args)));
