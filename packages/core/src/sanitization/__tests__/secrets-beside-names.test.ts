import { describe, expect, it } from '@jest/globals';
import { describeBlock } from '../../protocol/tool-result.ts';
import { createScene, describeTool, request } from '../../tool-proxy/__tests__/scene.ts';
import { cleanJson } from '../json/clean-json.ts';
import { cleanJsonText } from '../json/json-text.ts';
import { random } from '../secrets/__tests__/samples.ts';

const KEY = random(40);
const FAR = 'a description that is longer than what may stand between a name and its value in a text';
const MARK = '[REDACTED:secret:aws-secret-access-key]';

/** Each value with the name that the steps are told of it. */
function namesIn(clean: (note: (text: string, name?: string) => string) => unknown): readonly (readonly [string, string | undefined])[] {
  const told: (readonly [string, string | undefined])[] = [];
  clean((text, name) => {
    if (/^v\d$/.test(text)) told.push([text, name]);
    return text;
  });
  return told;
}

const NAME = 'AWS_SECRET_ACCESS_KEY';

describe('the name that a value stands under is the same in an object and in a text of it', () => {
  it.each<[name: string, value: object, told: readonly (readonly [string, string | undefined])[]]>([
    ['its own', { [NAME]: 'v1', b: 'v2' }, [['v1', NAME], ['v2', 'b']]],
    ['the one beside it', { name: NAME, type: 'x', value: 'v1' }, [['v1', NAME]]],
    ['in another spelling', { Key: NAME, Value: 'v1' }, [['v1', NAME]]],
    ['of its own object alone', [{ name: NAME, value: 'v1' }, { value: 'v2' }, { name: 'x', value: 'v3' }], [['v1', NAME], ['v2', 'value'], ['v3', 'value']]],
    ['behind an object in between', { name: NAME, more: { name: 'y', value: 'v1' }, other: 'v2' }, [['v1', 'value'], ['v2', 'other']]],
    ['not of a name that says nothing', { name: 'commit', value: 'v1' }, [['v1', 'value']]],
    ['not of another member', { about: NAME, value: 'v1' }, [['v1', 'value']]],
    ['the text before it in a list', { args: [NAME, 'v1', 'v2'] }, [['v1', NAME], ['v2', 'args']]],
    ['the list it stands in', { [NAME]: ['v1', 'v2'] }, [['v1', NAME], ['v2', NAME]]],
    ['not the last of another list', [[NAME], ['v1']], [['v1', undefined]]],
  ])('%s', (_name, value, told) => {
    expect(namesIn((note) => cleanJson(value, note))).toEqual(told);
    expect(namesIn((note) => cleanJsonText(JSON.stringify(value), note))).toEqual(told);
  });

  it('is found out in one reading: a member is not asked twice what it says', () => {
    let asked = 0;
    const value = {
      get name() {
        asked += 1;
        return NAME;
      },
      value: 'v1',
    };
    expect(namesIn((note) => cleanJson(value, note))).toEqual([['v1', NAME]]);
    expect(asked).toBe(1);
  });
});

it.each<[string, object]>([
  ['a pair with much between', { env: [{ name: NAME, description: FAR, value: KEY }, { name: 'commit', value: 'x' }] }],
  ['a list', { args: ['aws_secret_access_key', KEY] }],
  ['an object around it', { secretAccessKey: { value: KEY } }],
])('%s: masked in the text, in the structured part, and in the log', async (_name, value) => {
  const scene = createScene({
    tools: [describeTool({ authorship: 'foreign' })],
    execute: () => ({ content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }),
  });
  const result = await scene.proxy.execute(request());
  expect(result.content.map(describeBlock).join('')).toContain(MARK);
  expect(JSON.stringify(result.structuredContent)).toContain(MARK);
  expect(JSON.stringify([result, scene.records])).not.toContain(KEY);

  const alone = createScene({ tools: [describeTool()], execute: () => ({ content: [{ type: 'text', text: JSON.stringify(value) }] }) });
  expect(JSON.stringify(await alone.proxy.execute(request()))).toContain(MARK);
});
