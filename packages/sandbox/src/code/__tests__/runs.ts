import type { CodeOutcome, CodePlan, ToolResult } from '@devs/core';
import { BubblewrapConfinement } from '../../confinement/bubblewrap-confinement.ts';
import { createCodeRunner } from '../create-code-runner.ts';
import { findGuestFiles, type GuestFiles } from '../guest-files.ts';

export const NOTICE_ID = '31415926';

export interface RunSettings extends Partial<Omit<CodePlan, 'code'>> {
  readonly maxToolCalls?: number;
  readonly files?: GuestFiles;
  readonly memoryBytes?: number;
}

export interface CallSeen {
  readonly tool: string;
  readonly args: unknown;
}

export interface SeenRun extends CodeOutcome {
  readonly seen: readonly CallSeen[];
}

/** One box for all of these tests: it is the real one, and where it cannot be had they fail. */
const confinement = new BubblewrapConfinement({ root: '/nonexistent' });

const LIMITS = { wallMs: 120_000, outputBytes: 65_536, memoryBytes: 1_073_741_824, processes: 64, fileBytes: 1_048_576, openFiles: 256 };

/** Runs code in a real box. Tools answer with the JSON of their arguments, where nothing else is said. */
export async function runCode(code: string, settings: RunSettings = {}): Promise<SeenRun> {
  const { maxToolCalls = 50, files = findGuestFiles(), memoryBytes = LIMITS.memoryBytes, callTool = echo, ...plan } = settings;
  const seen: CallSeen[] = [];
  const runner = createCodeRunner({ confinement, limits: { ...LIMITS, memoryBytes }, maxToolCalls, noticeId: NOTICE_ID }, files);
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

export function textResult(...texts: readonly string[]): ToolResult {
  return { content: texts.map((text) => ({ type: 'text', text })) };
}

const echo: CodePlan['callTool'] = (_tool, args) => Promise.resolve(textResult(JSON.stringify(args)));
