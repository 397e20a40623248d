import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type { AgentLogIntent, AgentLogRecord } from '@devs/core';

/** A folder of the test's own, gone afterwards. */
export function createTempFolder(): Disposable & { readonly path: string; readonly log: string } {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'devs-storage-'));
  return {
    path: folder,
    log: path.join(folder, 'agent_logs.db'),
    [Symbol.dispose]: () => {
      fs.chmodSync(folder, 0o700);
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A call id that sorts and reads by its number. */
export function callId(number: number): string {
  return `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`;
}

export function intentOf(change: Partial<AgentLogIntent> = {}): AgentLogIntent {
  return {
    id: callId(1),
    toolName: 'read_file',
    agentId: 'agent-1',
    turnIndex: 3,
    phaseId: 'phase-2',
    epicId: 'epic-4',
    taskId: 'task-5',
    principal: 'local',
    channel: 'stdio',
    parentCallId: null,
    input: { path: 'README.md' },
    receivedInput: null,
    rule: 'default',
    timestamp: '2026-01-02T03:04:05.678Z',
    ...change,
  };
}

export function recordOf(change: Partial<AgentLogRecord> = {}): AgentLogRecord {
  return {
    ...intentOf(),
    status: 'ok',
    isError: false,
    code: null,
    detail: null,
    output: { content: [{ type: 'text', text: 'hello' }] },
    durationMs: 12.5,
    sanitization: { truncated: false },
    ...change,
  };
}

export type Child = ChildProcessWithoutNullStreams;

/** Runs a file of this folder in a process of its own, by the same Node. */
export function startChild(script: string, ...args: readonly string[]): Child {
  const hook = pathToFileURL(path.join(__dirname, 'typescript-hook.mjs')).href;
  const argv = ['--conditions=devs-source', `--import=${hook}`, path.join(__dirname, script), ...args];
  return spawn(process.execPath, argv);
}

/** What the child printed once it has ended; its error output where the code is not 0. */
export async function outputOf(child: Child): Promise<string> {
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the child ended with ${String(code)}: ${errors}`);
  return output;
}
