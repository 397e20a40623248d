import { describe, expect, it } from '@jest/globals';
import { createPipeline } from './pipeline-scene.ts';

const COUNT = 20_000;
const pipeline = createPipeline({ labels: ['untrusted'], output: { maxSizeBytes: 10_000_000, links: 'mark', html: 'text' } });

/** What exports of shops, dictionaries and sources hold in each of their values. */
describe.each<[string, (index: number) => string]>([
  ['an entity', (index) => `a &amp; b ${String(index)}`],
  ['an escape that is written out', (index) => `caf\\u00e9 ${String(index)}`],
  ['two escapes that are written out', (index) => `\\xe9\\xe8 ${String(index)}`],
])(`${String(COUNT)} short strings with %s`, (_name, make) => {
  const strings = Array.from({ length: COUNT }, (_, index) => make(index));

  it('are not withheld as values', () => {
    expect(pipeline({ content: [], structuredContent: { strings } }).result.structuredContent).toMatchObject({ strings });
  });

  it('are not withheld as names', () => {
    const named = Object.fromEntries(strings.map((name) => [name, 1]));
    expect(pipeline({ content: [], structuredContent: named }).result.structuredContent).toMatchObject(named);
  });
});
