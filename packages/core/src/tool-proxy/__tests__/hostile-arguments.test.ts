import { describe, expect, it } from '@jest/globals';
import { codeOf, createScene, request, wholeText } from './scene.ts';
import { firstText } from '../../protocol/__tests__/first-text.ts';

function nest(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}

function circle(): object {
  const self: { options?: unknown; path: string } = { path: 'a' };
  self.options = [self];
  return self;
}

class Options {
  readonly path = 'a';
}

const path = 'a';
const rows: [string, unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['a list', [{ path }]],
  ['text', 'path'],
  ['a number', 1],
  ['nothing of what is required', {}],
  ['a wrong type', { path: 1 }],
  ['null where text is wanted', { path: null }],
  ['an extra key', { path, toString: 'x' }],
  ['__proto__ on top', JSON.parse('{"path":"a","__proto__":{"admin":true}}')],
  ['__proto__ deep down', JSON.parse('{"path":"a","options":{"a":[{"__proto__":1}]}}')],
  ['__proto__ that is null', JSON.parse('{"path":"a","options":{"__proto__":null}}')],
  ['constructor.prototype', { path, options: { constructor: { prototype: { admin: true } } } }],
  ['constructor.prototype deep down', { path, options: [{ a: { constructor: { prototype: 1 } } }] }],
  ['a circle', circle()],
  ['10,000 levels', { path, options: nest(10_000) }],
  ['65 levels', { path, options: nest(65) }],
  ['a getter that throws', { path, get options() { throw new Error('/host/secret'); } }],
  ['a proxy that throws', new Proxy({}, { ownKeys: () => { throw new Error('/host/secret'); } })],
  ['NaN', { path, options: Number.NaN }],
  ['infinity', { path, options: Number.NEGATIVE_INFINITY }],
  ['a bigint', { path, options: 1n }],
  ['a symbol', { path, options: Symbol('x') }],
  ['a function', { path, options: () => 1 }],
  ['undefined in a list', { path, options: [undefined] }],
  ['a hole', { path, options: new Array(3) }],
  ['a class instance', new Options()],
  ['a Map', { path, options: new Map([['a', 1]]) }],
  ['a Date', { path, options: new Date(0) }],
  ['a Buffer', { path, options: Buffer.from('a') }],
  ['an inherited path', Object.create({ path })],
];

describe('arguments', () => {
  it.each(rows)('%s: refused, not run, in the log, told once', async (_name, args) => {
    const scene = createScene();
    const result = await scene.proxy.execute(request({ args }));
    expect(codeOf(result)).toBe('TOOL_ARG_VALIDATION_FAILURE');
    expect(result._meta?.['devs/refusal']).toMatchObject({ retryAllowed: true });
    expect(firstText(result)).toMatch(/^(The arguments object|Argument "[^\n]*") [^\n]+(\.|"additionalProperties":false\})$/);
    expect(scene.steps).toEqual(['validate', 'TOOL_ARG_VALIDATION_FAILURE', 'append']);
    expect(wholeText(result)).not.toMatch(/\/host\/|\bat .*:\d+:\d+/);
  });

  it.each<[string, unknown, unknown]>([
    ['64 levels', { path, options: nest(62) }, { path, options: nest(62) }],
    ['a key called constructor', { path, options: { constructor: 'x' } }, { path, options: { constructor: 'x' } }],
    ['a key that is undefined', { path, options: undefined }, { path }],
    ['no prototype', Object.assign(Object.create(null), { path }), { path }],
    ['a honest proxy', new Proxy({ path }, {}), { path }],
    ['a getter', { get path() { return 'a'; } }, { path }],
  ])('%s: run with a plain copy', async (_name, args, expected) => {
    const scene = createScene();
    expect((await scene.proxy.execute(request({ args }))).isError).toBeUndefined();
    expect(scene.executions[0]?.args).toEqual(expected);
    expect(scene.executions[0]?.args).not.toBe(args);
  });

  it('reach neither the tool nor the log changed after the call began', async () => {
    const args = { path: 'before', options: { list: ['before'] } };
    const scene = createScene({ begin: async () => { args.options.list[0] = 'after'; } });
    const pending = scene.proxy.execute(request({ args }));
    args.path = 'after';
    await pending;
    expect(scene.executions[0]?.args).toEqual({ path: 'before', options: { list: ['before'] } });
    expect(wholeText([scene.intents, scene.records])).not.toContain('after');
  });

  it('that are refused reach the log as they came, too', async () => {
    const args = { path: 1, note: 'before' };
    const scene = createScene();
    const pending = [scene.proxy.execute(request({ args })), scene.proxy.execute(request({ toolName: 'none', args }))];
    args.note = 'after';
    await Promise.all(pending);
    expect(scene.records.map(({ input }) => input)).toEqual([{ path: 1, note: 'before' }, { path: 1, note: 'before' }]);
  });

  it('cannot be changed by the tool behind the log’s back', async () => {
    const scene = createScene({
      execute: async ({ args }) => {
        expect(Reflect.set(args, 'path', 'after')).toBe(false);
        return 'done';
      },
    });
    await scene.proxy.execute(request());
    expect(scene.records[0]).toMatchObject({ status: 'ok', input: { path: 'src/index.ts' } });
  });

  it('cannot write lines of their own into the answer', async () => {
    const key = 'a\n\u001b[2J\u202eIGNORE\u2028';
    const scene = createScene();
    const [extra, deep] = [{ path, [key]: 1 }, { path, options: { [key]: 1n } }];
    for (const args of [extra, deep]) {
      const { content } = await scene.proxy.execute(request({ args }));
      expect(firstText({ content })).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}]+$/u);
    }
  });
});
