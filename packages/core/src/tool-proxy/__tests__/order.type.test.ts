import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../json.ts';
import type { Permit, PolicyInput } from '../../policy/decide.ts';
import type { RawToolOutput, ToolResult } from '../../protocol/tool-result.ts';
import type { Clean } from '../../sanitization/sanitize-tool-result.ts';
import type { GuardedArguments } from '../../tool-registry/guard-paths.ts';
import type { RegisteredTool } from '../../tool-registry/types.ts';
import type { ValidatedArgs } from '../../validation/schema.ts';
import type { Call } from '../call/call.ts';
import type { Admitted, CallLimiter } from '../limits/index.ts';
import type { Completed, Refused } from '../outcome.ts';
import type { AuditWriter, StartedCall } from '../started-call.ts';
import type { AgentLogIntent, AgentLogRecord, SandboxExecutor, SandboxRun, ToolCallRequest } from '../call/types.ts';

/** Nothing of this runs: `pnpm tsc --noEmit` is the test. A line that begins to compile is an error there. */
export interface Parts {
  readonly request: ToolCallRequest;
  readonly plain: JsonObject;
  readonly tool: RegisteredTool;
  readonly validated: ValidatedArgs;
  readonly guarded: GuardedArguments;
  readonly permit: Permit;
  readonly call: Call;
  readonly raw: RawToolOutput;
  readonly result: ToolResult;
  readonly reason: Clean<string>;
  readonly sandbox: SandboxExecutor;
  readonly run: SandboxRun;
  readonly auditWriter: AuditWriter;
  readonly limiter: CallLimiter;
  readonly admitted: Admitted;
  readonly entering: ReturnType<CallLimiter['enter']>;
  readonly intent: AgentLogIntent;
  readonly record: AgentLogRecord;
}

export const claims = [
  function rawArgumentsDoNotRun({ sandbox, tool, request, plain, validated, run }: Parts) {
    // @ts-expect-error what was asked is not validated
    void sandbox.execute(tool, request.args, request.context, run);
    // @ts-expect-error plain JSON is not validated
    void sandbox.execute(tool, plain, request.context, run);
    void sandbox.execute(tool, validated, request.context, run);
  },

  function unguardedArgumentsAreNotJudged({ tool, request, plain, validated, guarded }: Parts): PolicyInput[] {
    const { context } = request;
    return [
      // @ts-expect-error what was asked is not validated
      { tool, context, checked: request.args },
      // @ts-expect-error plain JSON is not validated
      { tool, context, checked: { args: plain, paths: [] } },
      // @ts-expect-error nobody has looked at the paths in it
      { tool, context, checked: { args: validated, paths: [] } },
      { tool, context, checked: guarded },
    ];
  },

  function handMadeIsNoPermit({ tool, validated, permit }: Parts): Permit[] {
    // @ts-expect-error only policy/ grants
    return [{ rule: 'default', tool, args: validated }, permit];
  },

  function handMadeIsNotStarted({ call, permit }: Parts): StartedCall {
    // @ts-expect-error only the log starts
    return { call, permit };
  },

  function nothingEntersWithoutPermit({ limiter, call, tool, validated, permit }: Parts) {
    // @ts-expect-error only policy/ grants
    void limiter.enter(call, { rule: 'default', tool, args: validated }, 1);
    void limiter.enter(call, permit, 1);
  },

  function nothingBeginsUncounted({ auditWriter, call, permit, admitted, entering, intent }: Parts) {
    // @ts-expect-error only limits/ admits
    void auditWriter.begin({ call, permit, leave: () => undefined }, intent);
    // @ts-expect-error it may still stand in line
    void auditWriter.begin(entering, intent);
    void auditWriter.begin(admitted, intent);
  },

  function dirtyIsNotClean({ raw, result }: Parts): Clean<ToolResult>[] {
    return [
      // @ts-expect-error what a tool gave back is not clean
      raw,
      // @ts-expect-error nor is a result of the right form
      result,
      // @ts-expect-error nor one made by hand
      { content: [{ type: 'text', text: 'x' }] },
    ];
  },

  function cleanWordsAreStillWords({ reason }: Parts): string {
    // @ts-expect-error a brand that made `never` of text would fit everywhere
    const count: number = reason;
    return `${count}${reason}`;
  },

  function dirtyIsNoOutcome({ raw, result }: Parts): (Completed | Refused)[] {
    return [
      // @ts-expect-error what a tool gave back is no outcome
      { kind: 'completed', result: raw, report: { truncated: false } },
      // @ts-expect-error nor is a result of the right form
      { kind: 'completed', result, report: { truncated: false } },
      // @ts-expect-error a reason is cleaned first
      { kind: 'refused', code: 'INTERNAL_ERROR', reason: 'x', suggestion: undefined, detail: '' },
    ];
  },

  function dirtyIsNoAnswer({ raw, record }: Parts): (ToolResult | AgentLogRecord)[] {
    // @ts-expect-error what a tool gave back may be bytes
    const answer: ToolResult = raw;
    // @ts-expect-error and is not stored either
    return [answer, { ...record, output: raw }];
  },
];

const ROOT = path.resolve(process.cwd(), '../..');
const COMPILER = path.join(path.dirname(createRequire(path.join(ROOT, 'package.json')).resolve('typescript/package.json')), 'bin', 'tsc');
const compile = (...words: string[]) => spawnSync(process.execPath, [COMPILER, '--noEmit', ...words], { cwd: ROOT, encoding: 'utf8' });

describe('the order is a type', () => {
  it('this file is compiled by `pnpm tsc --noEmit` at the root', () => {
    const { stdout, status } = compile('--listFilesOnly');
    expect(status).toBe(0);
    const files = stdout.split('\n').map((line) => path.relative(ROOT, path.resolve(ROOT, line.trim())));
    expect(files).toContain(path.join('packages', 'core', 'src', 'tool-proxy', '__tests__', 'order.type.test.ts'));
    expect(claims).toHaveLength(10);
  });

  it('no step takes what only an earlier step can make', () => {
    const place = mkdtempSync(path.join(os.tmpdir(), 'devs-types-'));
    try {
      // With the options of the root, and of its files only what this one needs.
      const project = path.join(place, 'tsconfig.json');
      const typeRoots = [path.join(ROOT, 'node_modules', '@types')];
      writeFileSync(project, JSON.stringify({ extends: path.join(ROOT, 'tsconfig.json'), compilerOptions: { typeRoots }, files: [__filename], include: [] }));
      const { stdout, status } = compile('--pretty', 'false', '--project', project);
      expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });
});
