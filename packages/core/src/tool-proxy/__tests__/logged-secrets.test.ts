import { describe, expect, it, jest } from '@jest/globals';
import { DEFAULT_CONFIG } from '../../config/schema.ts';
import type { Json } from '../../json.ts';
import { OutputPolicy } from '../../sanitization/output-policy.ts';
import { WorkBudget } from '../../sanitization/pipeline/work-budget.ts';
import { answer, context, createScene, request } from './scene.ts';

/** Put together here: no file holds a secret whole. */
const TOKEN = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_');
const MARK = '[REDACTED:secret:github-token]';

describe('what is written down', () => {
  it('of what was asked has no secret in it, before the call and after it; the tool gets what was sent', async () => {
    const scene = createScene({ execute: () => answer('done') });
    await scene.proxy.execute(request({ args: { path: TOKEN, options: { Authorization: `Bearer ${TOKEN}` } }, context: { ...context, agentId: TOKEN } }));
    expect(JSON.stringify([scene.intents, scene.records])).not.toContain(TOKEN);
    expect(scene.intents[0]).toMatchObject({ input: { path: MARK }, agentId: MARK });
    expect(scene.records[0]?.input).toEqual(scene.intents[0]?.input);
    expect(scene.executions[0]?.args).toMatchObject({ path: TOKEN });
  });

  it.each<[string, object]>([
    ['arguments that fit no schema', { args: { [TOKEN]: TOKEN } }],
    ['a tool that is not there', { toolName: TOKEN, args: { a: TOKEN } }],
    ['arguments that are none', { args: TOKEN }],
  ])('of a refused call neither: %s', async (_, changes) => {
    const scene = createScene();
    const result = await scene.proxy.execute(request(changes));
    expect(result.isError).toBe(true);
    expect(JSON.stringify([scene.records, scene.events, result])).not.toContain(TOKEN);
  });

  it.each<[string, string]>([
    ['behind a colour', `\u001b[31m${TOKEN}\u001b[0m`],
    ['behind what is left of a colour', `[0;31m${TOKEN}`],
    ['cut by a zero width space', `${TOKEN.slice(0, 8)}\u200b${TOKEN.slice(8)}`],
    ['cut by a soft hyphen and a NUL', `${TOKEN.slice(0, 8)}\u00ad\0${TOKEN.slice(8)}`],
    ['cut by a tag character', `${TOKEN.slice(0, 8)}\u{e0041}${TOKEN.slice(8)}`],
  ])('has none that is hidden: %s', async (_, path) => {
    const scene = createScene();
    await scene.proxy.execute(request({ args: { path: `a ${path} b` } }));
    await scene.proxy.execute(request({ args: { nothing: `a ${path} b` } }));
    expect(JSON.stringify([scene.intents, scene.records])).not.toContain(TOKEN.slice(10, 30));
  });

  it('keeps what holds no secret as it came, hidden characters and all', async () => {
    const scene = createScene();
    await scene.proxy.execute(request({ args: { path: 'a\u200b\u001b[31mb' } }));
    expect(scene.records[0]?.input).toEqual({ path: 'a\u200b\u001b[31mb' });
  });

  it.each<[string, object]>([
    ['a name', { toolName: `${'A'.repeat(160)} ${TOKEN}` }],
    ['a long word for a name', { toolName: `${'A '.repeat(80)}${TOKEN}${'A'.repeat(300)}` }],
    ['an excerpt', { args: { path: 'a', x: `${'y'.repeat(65_479)} ${TOKEN} ${'z'.repeat(40_000)}` } }],
    ['the name of an argument', { args: { [`${'n '.repeat(20)}${TOKEN}`]: 1 } }],
    ['a pointer', { args: JSON.parse(`{"${'p '.repeat(85)}${TOKEN}":{"__proto__":1}}`) as object }],
  ])('shows no half of one where %s is cut', async (_, changes) => {
    const scene = createScene();
    const result = await scene.proxy.execute(request(changes));
    expect(JSON.stringify([scene.records, scene.events, result])).not.toContain(TOKEN.slice(0, 10));
  });

  it('of what a tool threw neither, even where the detail is cut', async () => {
    const scene = createScene({ execute: () => Promise.reject(new Error(`${'x '.repeat(975)}${TOKEN}`)) });
    await scene.proxy.execute(request());
    expect(scene.records[0]?.detail).toContain('x x x');
    expect(JSON.stringify([scene.records, scene.events])).not.toContain(TOKEN.slice(0, 9));
  });

  it('of an answer is what the agent got, with counts and fingerprints beside it', async () => {
    const scene = createScene({ execute: () => answer(`token ${TOKEN}`) });
    const result = await scene.proxy.execute(request());
    expect(scene.records[0]).toMatchObject({
      output: { content: [{ text: `token ${MARK}` }] },
      sanitization: { truncated: false, counts: { 'secrets:github-token': 1 }, findings: [{ rule: 'github-token', fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) }] },
    });
    expect(JSON.stringify(result)).not.toContain('fingerprint');
  });

  it('of who called, and whose call it was, neither', async () => {
    const scene = createScene();
    await scene.proxy.execute(request({ origin: { principal: `a ${TOKEN}`, channel: 'library', parentCallId: `b ${TOKEN}` } }));
    expect(JSON.stringify([scene.intents, scene.records, scene.events])).not.toContain(TOKEN);
  });

  it('of a value that could not be looked through as a whole is what could be', () => {
    const policy = new OutputPolicy({ sanitize: DEFAULT_CONFIG.sanitize });
    let reads = 0;
    const value = {
      path: `a ${TOKEN}`,
      get content() {
        reads += 1;
        if (reads === 1) throw new Error('no');
        return 'x';
      },
    };
    expect(policy.valueForLog(value, 'a')).toEqual({ path: `a ${MARK}`, content: 'x' });
  });

  it('of a value with a text that takes too long, the others are; that text is not looked at twice', () => {
    const policy = new OutputPolicy({ sanitize: DEFAULT_CONFIG.sanitize });
    // Around each, the settings of a connection are looked for.
    const hostile = ';pwd=r'.repeat(200_000);
    const value = { path: `a ${TOKEN}`, content: hostile };
    const budgets = jest.spyOn(WorkBudget, 'forText');
    const { path, content } = policy.valueForLog(value, 'a') as typeof value;
    expect(Math.max(...budgets.mock.calls.map(([text]) => text.length))).toBe(value.path.length);
    budgets.mockRestore();
    expect([path, content.slice(0, 100)]).toEqual([`a ${MARK}`, `[secrets could not be looked for in it: ${String(hostile.length)} characters]`]);
  });

  it('of a value whose JSON is longer than its texts, that text is not looked at twice either', () => {
    const policy = new OutputPolicy({ sanitize: DEFAULT_CONFIG.sanitize });
    const budgets = jest.spyOn(WorkBudget, 'forText');
    // Each control is six units of JSON.
    policy.valueForLog({ content: ';pwd=r\u0001\u0001'.repeat(150_000) }, 'a');
    expect(budgets.mock.calls.filter(([text]) => text.length > 1_000)).toEqual([]);
    budgets.mockRestore();
  });

  it('a value that cannot be looked through is not kept', () => {
    const policy = new OutputPolicy({ sanitize: DEFAULT_CONFIG.sanitize });
    const hostile = new Proxy({}, { ownKeys: () => { throw new Error('no'); } });
    expect(policy.valueForLog(hostile, 'a')).toEqual({ unreadable: 'secrets could not be looked for in it' });
  });
});

it('a key that is a list of its lines is masked line by line', () => {
  const dashes = '-'.repeat(5);
  const lines = Array.from({ length: 4 }, (_, index) => `MIIEowIBAAKCAQEAuVx3Zq8Rk1sTf5bG7nHc2LdQ0PpWwYyEeXoJjNvMiKaSrUt${index}`);
  const policy = new OutputPolicy({ sanitize: DEFAULT_CONFIG.sanitize });
  const value = { path: 'a', lines: [`${dashes}BEGIN PRIVATE KEY${dashes}`, ...lines, `${dashes}END PRIVATE KEY${dashes}`], count: 2 };
  const mark = '[REDACTED:secret:private-key]';
  expect(policy.valueForLog(value, 'a')).toEqual({ ...value, lines: [value.lines[0], mark, mark, mark, mark, value.lines.at(-1)] });
  // As deep as arguments may be, which is deeper than results may.
  const deep = Array.from({ length: 60 }).reduce<Json>((inner) => [inner], value);
  expect(JSON.stringify(policy.valueForLog(deep, 'a'))).toContain(JSON.stringify([value.lines[0], mark, mark, mark, mark, value.lines.at(-1)]));
});
