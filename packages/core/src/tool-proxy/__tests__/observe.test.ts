import { describe, expect, it } from '@jest/globals';
import { DevsError } from '../../errors.ts';
import { answer, CALL_ID, codeOf, context, createScene, request } from './scene.ts';

describe('ToolProxy.observe', () => {
  it('gives the envelope of seed 000, every field of it', async () => {
    expect(await createScene().proxy.observe(request())).toEqual({
      schemaVersion: '1.0',
      type: 'observation',
      taskId: 'task-9',
      agentId: 'agent-7',
      turnIndex: 3,
      sequenceNumber: 1,
      timestamp: '2025-01-02T03:04:05.006Z',
      observation: { toolName: 'read_file', status: 'ok', content: 'contents', truncated: false, source: 'built-in' },
    });
  });

  it('takes the same way as execute', async () => {
    const scene = createScene();
    await scene.proxy.observe(request());
    expect(scene.steps).toEqual(['validate', 'begin', 'execute', 'append', 'TOOL_EXECUTED']);
  });

  it('counts the observations of its own proxy from 1, refusals too, executions not', async () => {
    const scene = createScene();
    await scene.proxy.execute(request());
    const numbers = [];
    for (const changes of [{}, { toolName: 'x' }, { args: {} }]) {
      numbers.push((await scene.proxy.observe(request(changes))).sequenceNumber);
    }
    expect(numbers).toEqual([1, 2, 3]);
    expect((await createScene().proxy.observe(request())).sequenceNumber).toBe(1);
  });

  it('gives each of many calls at once a number of its own', async () => {
    const { proxy } = createScene();
    const envelopes = await Promise.all(Array.from({ length: 20 }, () => proxy.observe(request())));
    const numbers = envelopes.map(({ sequenceNumber }) => sequenceNumber).sort((one, other) => one - other);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('says a refusal as an error, from no source', async () => {
    const { observation } = await createScene().proxy.observe(request({ toolName: 'x' }));
    expect(observation).toMatchObject({ toolName: 'x', status: 'error', source: '', truncated: false });
    expect(observation.content).toMatch(/^ACCESS_DENIED/);
  });

  it('keeps blocks apart, and says when something was cut', async () => {
    const content = Array.from({ length: 1_001 }, (_, index) => ({ type: 'text', text: String(index) }));
    const { observation } = await createScene({ execute: async () => ({ content }) }).proxy.observe(request());
    expect(observation.content.split('\n').slice(0, 3)).toEqual(['0', '1', '2']);
    expect(observation.truncated).toBe(true);
  });

  it('says an empty task where the caller names none', async () => {
    const { taskId: _taskId, ...untasked } = context;
    expect((await createScene().proxy.observe(request({ context: untasked }))).taskId).toBe('');
  });
});

describe('ToolProxy.refuse', () => {
  it('records and answers, and neither looks up nor runs', async () => {
    const scene = createScene();
    const cause = new DevsError('CONTEXT_REFUSED', { sentence: 'No.\nReally.', suggestion: 'Go.\naway' });
    const result = await scene.proxy.refuse(request(), cause);
    expect(result).toEqual({
      isError: true,
      content: [{ type: 'error', text: 'No. Really. Go. away' }],
      _meta: {
        'devs/refusal': { code: 'CONTEXT_REFUSED', reason: 'No. Really.', suggestion: 'Go. away', retryAllowed: false, callId: CALL_ID },
      },
    });
    expect(scene.steps).toEqual(['append', 'TOOL_CALL_REFUSED']);
    expect(scene.records[0]).toMatchObject({ toolName: 'read_file', status: 'denied', rule: '', input: { path: 'src/index.ts' } });
    expect(scene.records[0]?.output).toEqual(result);
  });

  it('tells its event for every code, the ones of validation too', async () => {
    const scene = createScene();
    await scene.proxy.refuse(request(), new DevsError('TOOL_ARG_VALIDATION_FAILURE'));
    await scene.proxy.refuse(request(), new DevsError('UNKNOWN_TOOL'));
    expect(scene.events.map(({ event }) => event)).toEqual(['TOOL_ARG_VALIDATION_FAILURE', 'UNKNOWN_TOOL']);
  });

  it('hides a cause that is not ours', async () => {
    const result = await createScene().proxy.refuse(request(), new Error('/host/path') as DevsError);
    expect(codeOf(result)).toBe('INTERNAL_ERROR');
    expect(JSON.stringify(result)).not.toContain('/host/');
  });

  it('keeps the arguments as they came', async () => {
    const scene = createScene({ execute: async () => answer('x') });
    const args = { path: 'before' };
    const pending = scene.proxy.refuse(request({ args }), new DevsError('CONTEXT_REFUSED'));
    args.path = 'after';
    await pending;
    expect(scene.records[0]?.input).toEqual({ path: 'before' });
  });
});
