import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../../json.ts';
import { toOwnToolNames, toSamplingToolName } from '../sampling-names.ts';

const use = (name: Json) => ({ type: 'tool_use', id: 'a', name, input: { name: 'bank__x' } });

describe('what the model of a client has called', () => {
  it.each<[string, Json, Json]>([
    ['one block', use('bank__look_up'), use('look_up')],
    ['several', [{ type: 'text', text: 'bank__a' }, use('bank__a'), use('bank__bank__b')], [{ type: 'text', text: 'bank__a' }, use('a'), use('bank__b')]],
    ['of another name', use('shell_exec'), use('shell_exec')],
    ['no name', use(5), use(5)],
    ['no block', 'bank__x', 'bank__x'],
  ])('has the own names of the server again: %s', (_, content, expected) => {
    const more = { role: 'assistant', model: 'm', stopReason: 'toolUse' };
    expect(toOwnToolNames('bank', { q: { ...more, content } })).toEqual({ q: { ...more, content: expected } });
  });

  it('says nothing of answers of other kinds', () => {
    const answers = { a: { action: 'accept', content: { name: 'bank__x', type: 'tool' } }, b: 'x', c: null, d: [1] };
    expect(toOwnToolNames('bank', answers)).toEqual(answers);
  });

  it('is what it was', () => {
    const { q } = toOwnToolNames('bank', { q: { content: use(toSamplingToolName('bank', 'a.b')) } });
    expect(q).toEqual({ content: use('a.b') });
  });
});
