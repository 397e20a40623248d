import { describe, expect, it } from '@jest/globals';
import { isRecord } from '../../json.ts';
import { createOutputSanitizer } from '../../protocol/output-sanitizer.ts';
import { REFUSAL_META_KEY } from '../to-result.ts';
import { codeOf, createScene, describeTool, request, type SceneSetting } from './scene.ts';
import { firstText } from '../../protocol/__tests__/first-text.ts';

async function refusalOf(setting: SceneSetting, args: unknown) {
  const scene = createScene(setting);
  const result = await scene.proxy.execute(request({ args }));
  return { scene, result, text: firstText(result) ?? '', refusal: result._meta?.[REFUSAL_META_KEY] };
}

function foreign(properties: object): SceneSetting {
  const definition = { name: 'read_file', inputSchema: { type: 'object', properties: { ...properties } } };
  return { tools: [describeTool({ authorship: 'foreign', definition })] };
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return isRecord(value) || Array.isArray(value) ? Object.entries(value).flatMap(([key, inner]) => [key, ...stringsOf(inner)]) : [];
}

describe('the refusal of arguments that do not fit', () => {
  it('says what is wrong and how it has to be: in words, and for machines', async () => {
    const { text, refusal } = await refusalOf({}, { pth: 'x' });
    const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'], additionalProperties: false };
    expect(text).toBe(
      'The arguments object must have required property "path". ' +
        'The arguments object has an argument that is not known: "pth"; did you mean "path"? ' +
        `Correct what is named and call again. Schema: ${JSON.stringify(schema)}`,
    );
    expect(refusal).toMatchObject({
      code: 'TOOL_ARG_VALIDATION_FAILURE',
      retryAllowed: true,
      errors: [
        { pointer: '', expected: 'the property "path"', received: 'object' },
        { pointer: '', expected: 'one of "path", "options"', received: 'object', hint: 'did you mean "path"?' },
      ],
      schema,
    });
  });

  it('carries no line of the caller’s, nor of a server’s', async () => {
    const hostile = 'a\n\u001b[2J\u2028\u202e\u{e0041}b';
    const visible = { path: { type: 'string', description: 'line\nanother', enum: ['x\ny'], pattern: '^x\n$' } };
    for (const [setting, args] of [[{}, { [hostile]: 1 }], [foreign(visible), { path: 5 }], [foreign(visible), { path: 'z' }]] as const) {
      const { text, refusal } = await refusalOf(setting, args);
      expect(codeOf({ _meta: { [REFUSAL_META_KEY]: refusal } })).toBe('TOOL_ARG_VALIDATION_FAILURE');
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      for (const said of stringsOf(refusal)) expect(said).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }
  });

  it('is a refusal all the same when its words cannot be cleaned', async () => {
    const broken = {
      maxBytes: 1_000,
      isSafeForJSON: () => true,
      sanitize: () => '',
      sanitizeText: () => {
        throw new Error('no');
      },
    };
    const { text, refusal } = await refusalOf({ options: { sanitizer: broken } }, { pth: 'x' });
    expect(text).toMatch(/^The call was refused\./);
    expect(refusal).not.toHaveProperty('schema');
    expect(refusal).toMatchObject({ code: 'TOOL_ARG_VALIDATION_FAILURE' });
  });

  it('goes through the sanitizer like any other words', async () => {
    const sanitizer = createOutputSanitizer({ mcp: { maxToolOutputBytes: 10_000 } });
    const redacting = Object.assign(Object.create(sanitizer), {
      maxBytes: 10_000,
      sanitizeText: (text: string) => text.replaceAll('path', '[redacted]'),
    });
    const { text, refusal } = await refusalOf({ options: { sanitizer: redacting } }, { path: 5 });
    expect(refusal).toMatchObject({ schema: { properties: { '[redacted]': { type: 'string' } } } });
    expect(text + JSON.stringify(refusal)).not.toContain('path');
  });

  it('does not let what repairs a call stand in for its code', async () => {
    const { refusal } = await refusalOf(foreign({ code: { type: 'string' } }), { code: 5 });
    expect(refusal).toMatchObject({ code: 'TOOL_ARG_VALIDATION_FAILURE', schema: { properties: { code: { type: 'string' } } } });
  });

  it('is as long in the log as for the caller, and no longer', async () => {
    const { scene, result } = await refusalOf({}, { path: 5 });
    expect(scene.records[0]?.output).toEqual(result);
    expect(scene.records[0]?.detail).toBe('TOOL_ARG_VALIDATION_FAILURE: Argument "/path" must be string.');
  });
});
