import { describe, expect, it } from '@jest/globals';
import { CleanedWords } from '../cleaned-words.ts';
import { createPipeline, textOf } from '../../__tests__/pipeline-scene.ts';
import { Tally } from '../tally.ts';

/** Counts how often it is asked, and once in the tally each time. */
function createMake(cleaned: string) {
  const make = (counted: Tally) => {
    make.calls += 1;
    counted.add('invisibles', 'zero-width');
    counted.note({ rule: 'a-token', fingerprint: 'f' });
    return cleaned;
  };
  make.calls = 0;
  return make;
}

describe('strings that stand in a result again and again', () => {
  it('are cleaned once, and counted each time', () => {
    const [words, tally, make] = [new CleanedWords(), new Tally(), createMake('a')];
    for (let time = 0; time < 3; time += 1) expect(words.clean('a\u200b', { level: 1, tally }, make)).toBe('a');
    expect(make.calls).toBe(1);
    expect(tally.counts).toEqual({ 'invisibles:zero-width': 3 });
    expect(tally.findings).toHaveLength(1);
  });

  it.each<[string, string, number]>([
    ['at another level', 'a', 2],
    ['of another text', 'b', 1],
  ])('are cleaned again %s', (_name, text, level) => {
    const [words, tally, make] = [new CleanedWords(), new Tally(), createMake('x')];
    words.clean('a', { level: 1, tally }, make);
    words.clean(text, { level, tally }, make);
    expect(make.calls).toBe(2);
  });

  it('are not all kept: neither long ones nor more than some thousands', () => {
    const [words, tally, make] = [new CleanedWords(), new Tally(), createMake('x')];
    for (const text of ['x'.repeat(16_384), ...Array.from({ length: 4_096 }, (_, index) => String(index)), 'one too many']) {
      const before = make.calls;
      for (let time = 0; time < 2; time += 1) words.clean(text, { level: 1, tally }, make);
      expect(make.calls - before).toBe(/^\d/.test(text) ? 1 : 2);
    }
  });

  const value = ['Ab1', 'Cd2', 'Ef3', 'Gh4', 'Ij5', 'Kl6', 'Mn7', 'Op8'].join('');

  it.each<[string, object]>([
    ['the harmless name first', [{ note: value }, { aws_secret_access_key: `${value}wxyz9+/A1b2C3d4Q` }, { note: `${value}wxyz9+/A1b2C3d4Q` }]],
    ['the name of a secret first', [{ aws_secret_access_key: `${value}wxyz9+/A1b2C3d4Q` }, { note: `${value}wxyz9+/A1b2C3d4Q` }]],
  ])('are judged by the name that they stand under: %s', (_name, list) => {
    const clean = createPipeline({ labels: [] });
    const said = textOf(clean({ content: [{ type: 'text', text: JSON.stringify(list).replace('[', '["a\u200b",') }] }));
    expect(said).toMatch(/"aws_secret_access_key":"\[REDACTED:secret:/);
    expect(said).toContain(`"note":"${value}`);
  });
});
