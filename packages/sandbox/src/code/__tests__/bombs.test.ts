import { describe, expect, it } from '@jest/globals';
import type { ConfinedRequest } from '@devs/core';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { CONFIGURATIONS } from '../../confinement/__tests__/box-scene.ts';
import { CodeScene, textResult } from './runs.ts';

const limit = (name: string) => ({ kind: 'limit', limit: name });

withBoxes('code bombs', () => describe.each(CONFIGURATIONS)('boxes of $name', (configuration) => {
  const { run: runCode, runEndless } = new CodeScene(configuration);

  describe('code that does not end', () => {
    it.each([
      ['a loop', 'console.log("begun"); for (;;);'],
      ['jobs that make jobs', 'console.log("begun"); const again = async () => { for (;;) await null; }; await again()'],
      ['a regular expression that goes back', 'console.log("begun"); /^(a+)+$/.test("a".repeat(64) + "b")'],
      ['a loop within the engine', 'console.log("begun"); Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)'],
      ['a sort that is never content', 'console.log("begun"); for (;;) Array(1e4).fill(0).sort(() => Math.random() - 0.5)'],
      ['powers of powers', 'console.log("begun"); for (;;) 3n ** 100000n'],
      ['a value that never becomes JSON', 'console.log("begun"); return { toJSON() { for (;;); } }'],
      ['a name that never can be read', 'console.log("begun"); Object.defineProperty(globalThis, "__sanitize__", { get() { for (;;); } })'],
      ['a timer of a day', 'console.log("begun"); await new Promise((resolve) => setTimeout(resolve, 8e7))'],
    ])('is ended at its time: %s', async (_name, code) => {
      expect(await runEndless(code)).toMatchObject({ end: limit('time'), sanitize: true, printed: 'begun\n' });
    });

    it('is ended at its time while a tool never answers', async () => {
      let aborted: AbortSignal | undefined;
      const callTool = async (_tool: string, _args: unknown, signal: AbortSignal) => {
        aborted = signal;
        return new Promise<never>(() => {});
      };
      expect(await runEndless('await tools.read_file()', { callTool })).toMatchObject({ end: limit('time'), sanitize: true, calls: 1 });
      expect(aborted?.aborted).toBe(true);
    });

    it.each([
      [50, 100, 50],
      [100, 50, 50],
      [undefined, 70, 70],
    ])('has the smaller of two times: %s of %s', async (timeoutMs, wallMs, expected) => {
      const requests: ConfinedRequest[] = [];
      const settings = { ...(timeoutMs === undefined ? {} : { timeoutMs }), wallMs, box: (request: ConfinedRequest) => void requests.push(request) };
      await runCode('for (;;);', settings);
      expect(requests[0]?.limits.wallMs).toBe(expected);
    });

    it('is ended with its call', async () => {
      const controller = new AbortController();
      const callTool = async () => {
        controller.abort(new Error('gone'));
        return new Promise<never>(() => {});
      };
      // Its own limit is far away: if it were not ended with its call, this would hang.
      await expect(runCode('await tools.read_file()', { signal: controller.signal, callTool, wallMs: 86_400_000 })).rejects.toThrow('gone');
      await expect(runCode('1', { signal: controller.signal })).rejects.toThrow('gone');
    });
  });

  describe('code that takes too much', () => {
    it.each([
      ['objects', 'const all = []; for (;;) all.push({ all })', 'memory'],
      ['buffers', 'const all = []; for (;;) all.push(new ArrayBuffer(1e7))', 'memory'],
      ['a long string', 'return "x".repeat(2 ** 29)', 'memory'],
      ['a filled array', 'return new Array(2 ** 32 - 1).fill(0)', 'memory'],
      ['big integers', 'const one = 3n ** 100000n; const all = []; for (;;) all.push(one + BigInt(all.length))', 'memory'],
      ['promises that nobody settles', 'const all = []; for (;;) all.push(new Promise(() => {}))', 'memory'],
      ['itself', 'const again = () => again() + 1; again()', 'stack'],
      ['deep JSON', 'JSON.parse("[".repeat(1e6))', 'stack'],
      ['deep code', 'eval("(".repeat(1e6))', 'stack'],
      ['a deep value', 'let all = []; for (let n = 0; n < 1e5; n += 1) all = [all]; return all', 'stack'],
      ['a long value', 'return "x".repeat(1_000_001)', 'output'],
      ['a long list', 'return Array(400_000).fill(123)', 'output'],
    ])('is ended for it: %s', async (_name, code, name) => {
      expect(await runCode(code)).toMatchObject({ end: limit(name), sanitize: true });
    });

    it.each([
      ['a string that doubles', 'let all = "x"; for (;;) all += all', 'InternalError: string too long'],
      ['a power of millions of digits', 'return 2n ** 10000000n', 'RangeError: BigInt is too large'],
      ['a thousand timers and one', 'for (let n = 0; n < 1_001; n += 1) setTimeout(() => {}, 0)', 'RangeError: More than 1000 timers'],
      ['arguments beyond all measure', 'await tools.read_file({ path: "x".repeat(1_000_000) })', 'RangeError: The arguments of read_file are too large'],
    ])('throws: %s', async (_name, code, message) => {
      expect(await runCode(code)).toMatchObject({ end: { kind: 'thrown', message: expect.stringContaining(message) } });
    });

    it('may go on after it has caught what it is refused', async () => {
      const code = 'try { new ArrayBuffer(2 ** 31) } catch (error) { console.log(error.message) }\ntry { const f = () => f(); f() } catch (error) { console.log(error.name) }\nreturn "well"';
      expect(await runCode(code)).toMatchObject({ end: { kind: 'value', value: 'well', isText: true }, printed: expect.stringContaining('RangeError') });
    });

    it('is ended one way or the other where the engine loses a promise for want of memory', async () => {
      const run = await runCode('const next = () => Promise.resolve().then(next); await next()', { timeoutMs: 1_000 });
      expect(run).toMatchObject({ end: { kind: 'limit', limit: expect.stringMatching(/^(?:memory|time)$/) }, sanitize: true });
    });

    it('has a memory of its own, smaller than that of its process', async () => {
      const code = 'const all = []; try { for (;;) all.push(new ArrayBuffer(1e7)) } catch (error) { return [all.length, error.message] }';
      expect(await runCode(code)).toMatchObject({ end: { kind: 'value', value: '[13,"out of memory"]' } });
    });

    it('calls no more tools than it may', async () => {
      const run = await runCode('for (;;) await tools.read_file()', { maxToolCalls: 7 });
      expect(run).toMatchObject({ end: limit('calls'), calls: 7, sanitize: true });
      expect(run.seen).toHaveLength(7);
    });

    it('floods no tool with calls that nobody waits for', async () => {
      const run = await runCode('for (;;) tools.read_file({ path: "x".repeat(1e5) })', { maxToolCalls: 1_000_000, callTool: () => new Promise<never>(() => {}) });
      expect(run).toMatchObject({ end: limit('output'), sanitize: true });
      expect(run.seen).toHaveLength(16);
    });

    it.each([
      ['deep JSON', 'JSON.parse("[".repeat(1e6))'],
      ['a deep value made JSON', 'let all = []; for (let n = 0; n < 2e5; n += 1) all = [all]; JSON.stringify(all)'],
      ['a deep list made flat', 'let all = []; for (let n = 0; n < 2e5; n += 1) all = [all]; all.flat(Infinity)'],
    ])('is not run once more where the stack of what runs the engine ends: %s', async (_name, bomb) => {
      const run = await runCode(`console.log("begun"); tools.read_file();\n${bomb}`);
      expect(run).toMatchObject({ end: limit('stack'), sanitize: true, printed: 'begun\n', calls: 1 });
    });

    it('recurses as deep as code does that is in order', async () => {
      expect(await runCode('const sum = (n) => (n === 0 ? 0 : n + sum(n - 1)); return sum(500)')).toMatchObject({ end: { kind: 'value', value: '125250' } });
    });

    it('takes a large answer of a tool, and gives it back', async () => {
      const text = 'é'.repeat(400_000);
      expect(await runCode('return await tools.read_file()', { callTool: async () => Promise.resolve(textResult(text)) })).toMatchObject({ end: { kind: 'value', value: text } });
    });
  });
}));
