import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import type { ConfinedProcess, ConfinedRequest, Confinement, ConfinementReport, ExecOptions, ProcessExit, ProcessOutcome } from '@devs/core';
import { completeEnvironment } from './bubblewrap-arguments.ts';
import { collect } from './collect.ts';
import { allReports, toEnforcement } from './guarantees.ts';
import { RunningTree } from './running-tree.ts';

const NAME = 'none';
const REPORTS = allReports({ state: 'absent', detail: 'the operator has switched the sandbox off', fix: 'Set "sandbox": {"tools": "require"}' });
const ENFORCEMENT = toEnforcement(NAME, REPORTS);

/**
 * No box at all, for `sandbox.tools: off`: what runs can do whatever devs can do. Time and output are still limited, and a
 * process that goes on by itself is ended with its group, as far as it stays in it.
 */
export class Unconfined implements Confinement {
  readonly name = NAME;

  async probe(): Promise<ConfinementReport> {
    // Usable because the operator said so, not because anything holds.
    return Promise.resolve({ name: NAME, usable: true, enforcement: ENFORCEMENT, guarantees: REPORTS });
  }

  async spawn(request: ConfinedRequest): Promise<ConfinedProcess> {
    return Promise.resolve(start(request));
  }

  async exec(request: ConfinedRequest, options: ExecOptions): Promise<ProcessOutcome> {
    return collect(start(request), options);
  }
}

function start({ argv: [file, ...rest], cwd, env, limits, channel: hasChannel = false }: ConfinedRequest): ConfinedProcess {
  const child = spawn(file, rest, {
    cwd,
    env: { ...completeEnvironment(env) },
    // A group of its own, to be ended as one.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...(hasChannel ? ['pipe' as const] : [])],
  });
  const failed = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(true));
    child.once('exit', () => resolve(false));
  });
  const channel = child.stdio[3];
  const { stdin, stdout, stderr } = child;
  return new RunningTree({
    child,
    streams: { stdin, stdout, stderr },
    channel: channel instanceof Duplex ? channel : undefined,
    enforcement: ENFORCEMENT,
    limits,
    kill: () => killGroup(child.pid),
    askToEnd: () => killGroup(child.pid, 'SIGTERM'),
    conclude: async (reason) => {
      killGroup(child.pid);
      if (reason !== undefined) return reason;
      return (await failed) ? { kind: 'setup', detail: 'the program cannot be started' } : toExit(child.exitCode, child.signalCode);
    },
  });
}

function toExit(code: number | null, signal: string | null): ProcessExit {
  return signal === null ? { kind: 'code', code: code ?? 1 } : { kind: 'signal', signal };
}

function killGroup(pid: number | undefined, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // None of it is left.
  }
}
