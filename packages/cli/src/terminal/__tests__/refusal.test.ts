import { describe, expect, it } from '@jest/globals';
import type { AgentLogEntry, ErrorCode, Json } from '@devs/core';
import { explainRefusal } from '../refusal.ts';

function entryOf(change: Partial<AgentLogEntry>): AgentLogEntry {
  return {
    id: '00000001-0000-4000-8000-000000000000',
    toolName: 'read_file',
    agentId: 'agent-1',
    turnIndex: 0,
    phaseId: 'phase-1',
    epicId: '',
    taskId: '',
    principal: 'local',
    channel: 'stdio',
    parentCallId: null,
    input: {},
    receivedInput: null,
    rule: '',
    timestamp: '2026-01-01T00:00:00.000Z',
    status: 'denied',
    isError: true,
    code: 'INTERNAL_ERROR',
    detail: 'INTERNAL_ERROR: why',
    output: null,
    durationMs: 1,
    sanitization: { truncated: false },
    receipt: { seq: 1, leaf: '' },
    isErased: false,
    ...change,
  };
}

function refused(code: ErrorCode, refusal: { readonly [name: string]: Json }, change: Partial<AgentLogEntry> = {}): AgentLogEntry {
  return entryOf({ code, output: { content: [], isError: true, _meta: { 'devs/refusal': refusal } }, ...change });
}

const PATH = { code: 'PATH_OUTSIDE_ROOT', rule: 'default' } as const;

describe('explainRefusal', () => {
  it.each<[string, Partial<AgentLogEntry>]>([
    ['a call that is ok', { status: 'ok', code: null }],
    ['a tool that failed', { status: 'error', code: 'FILE_NOT_FOUND' }],
    ['a call that goes on', { status: 'started', code: null }],
    ['a refusal without a code', { code: null }],
  ])('has nothing to say of %s', (_name, change) => {
    expect(explainRefusal(entryOf(change))).toBeUndefined();
  });

  it('tells the name and the claims where a tool was not found: it may only be hidden from these', () => {
    expect(explainRefusal(entryOf({ code: 'UNKNOWN_TOOL', toolName: 'nope' }))).toMatchObject({
      stage: 'find',
      policy: undefined,
      rule: undefined,
      decidedBy: [
        { what: 'tool', value: 'nope' },
        { what: 'principal', value: 'local' },
        { what: 'agent', value: 'agent-1' },
        { what: 'phase', value: 'phase-1' },
      ],
    });
  });

  it.each<[string, string, unknown, unknown]>([
    ['named, deep', 'Argument "/to/0/path": no.', { to: [{ path: '../x' }] }, [{ what: 'argument /to/0/path', value: '../x' }]],
    ['named, with an escape', 'Argument "/a~1b": no.', { 'a/b': '../x' }, [{ what: 'argument /a~1b', value: '../x' }]],
    ['not named', 'It leads outside.', { path: '../x' }, [{ what: 'argument /path', value: '../x' }]],
    ['what is inherited', 'Argument "/__proto__/x": no.', {}, [{ what: 'detail', value: 'INTERNAL_ERROR: why' }]],
    ['no JSON string', 'Argument "/\\x": no.', { path: '../x' }, [{ what: 'detail', value: 'INTERNAL_ERROR: why' }]],
    ['in an input that is no object', 'Argument "/path": no.', 'text', [{ what: 'detail', value: 'INTERNAL_ERROR: why' }]],
  ])('tells the argument of a path: %s', (_name, reason, input, decidedBy) => {
    expect(explainRefusal(refused('PATH_OUTSIDE_ROOT', { reason }, { ...PATH, input }))).toMatchObject({ stage: 'paths', policy: 'default', reason, decidedBy });
  });

  it.each<[string, Partial<AgentLogEntry>, unknown]>([
    ['its entry', { code: 'PATH_BLOCKED', detail: 'PATH_BLOCKED (files.blocked: "secrets"): no: "x".' }, 'files.blocked: "secrets"'],
    ['not words of the caller', { code: 'PATH_BLOCKED', detail: 'PATH_BLOCKED: no: "PATH_BLOCKED (files.blocked: "x"): ".' }, undefined],
    ['the root', { code: 'PATH_OUTSIDE_ROOT', detail: 'PATH_OUTSIDE_ROOT: no.' }, expect.stringContaining('project folder')],
    ['what holds everywhere', { code: 'PATH_REFUSED', detail: 'PATH_REFUSED: no.' }, expect.stringContaining('built in')],
    ['nothing of another stage', { code: 'TOOL_ARG_VALIDATION_FAILURE', detail: 'A (b): c' }, undefined],
    ['that it is erased', { code: 'PATH_BLOCKED', detail: null, isErased: true }, expect.stringContaining('not in the log any more')],
  ])('tells what a path was refused by: %s', (_name, change, rule) => {
    expect(explainRefusal(entryOf({ rule: 'default', ...change }))).toMatchObject({ policy: 'default', rule });
  });

  it('tells what the caller sent, not what was made of it', () => {
    const entry = refused('PATH_OUTSIDE_ROOT', { reason: '' }, { ...PATH, input: { path: 'made' }, receivedInput: { path: 'sent' } });
    expect(explainRefusal(entry)?.decidedBy).toEqual([{ what: 'argument /path', value: 'sent' }]);
  });

  it('tells what was wanted of arguments, whatever somebody has made of the record', () => {
    const errors = [{ pointer: '/a', expected: 'string', received: 'number', hint: 'did you mean "b"?' }, 'no record', { pointer: 5 }];
    expect(explainRefusal(refused('TOOL_ARG_VALIDATION_FAILURE', { errors }))?.decidedBy).toEqual([
      { what: 'argument /a', value: 'wanted string, got number; did you mean "b"?' },
      { what: 'the arguments', value: 'wanted undefined, got undefined' },
    ]);
    expect(explainRefusal(refused('TOOL_ARG_VALIDATION_FAILURE', { errors: 'none' }))?.decidedBy).toMatchObject([{ what: 'detail' }]);
  });

  it('says that it is not known any more where the payload is erased', () => {
    const erased = { isErased: true, input: null, detail: null, output: null };
    expect(explainRefusal(entryOf({ ...PATH, ...erased }))?.reason).toContain('not in the log any more');
    expect(explainRefusal(entryOf({ ...PATH, ...erased }))?.decidedBy).toEqual([{ what: 'input', value: expect.stringContaining('erased') }]);
    expect(explainRefusal(entryOf({ code: 'UNKNOWN_TOOL', ...erased }))?.decidedBy[0]).toEqual({ what: 'tool', value: 'read_file' });
  });

  it('cuts what would fill the screen', () => {
    const entry = refused('PATH_OUTSIDE_ROOT', { reason: 'r'.repeat(10_000) }, { ...PATH, input: { path: 'p'.repeat(10_000) } });
    const refusal = explainRefusal(entry);
    expect([refusal?.reason.length, refusal?.decidedBy[0]?.value.length]).toEqual([501, 501]);
  });
});
