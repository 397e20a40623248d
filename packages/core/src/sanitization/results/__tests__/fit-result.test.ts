import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import type { ContentBlock } from '../../../protocol/tool-result.ts';
import { fitResult, type CleanBlock, type FitSettings } from '../fit-result.ts';

const MESSAGE = '[truncated]';
const LEFT_OUT = '[devs: a part was left out: it is too large.]';
const CUT = '[devs: the output was cut.]';
const text = (words: string): CleanBlock => ({ isNotice: false, block: { type: 'text', text: words } });
const notice = (words: string): CleanBlock => ({ isNotice: true, block: { type: 'text', text: words } });
const image = (units: number): CleanBlock => ({ isNotice: false, block: { type: 'image', data: 'A'.repeat(units), mimeType: 'image/png' } });
const link = (units: number): CleanBlock => ({ isNotice: false, block: { type: 'resource_link', uri: 'memo://a', name: 'n'.repeat(units) } });
const resource = (words: string, uri = 'memo://a'): CleanBlock => ({ isNotice: false, block: { type: 'resource', resource: { uri, text: words } } });

function fitBlocks(blocks: readonly CleanBlock[], maxSizeBytes: number, settings: Partial<FitSettings> = {}) {
  const config = { maxSizeBytes, truncationMessage: MESSAGE, strategy: 'head' as const };
  return fitResult(blocks, { config, hardCap: 10_000, wrapperBytes: 0, wrap: (words) => words, sign: (words) => words, clean: (words) => words, ...settings });
}

const wordsOf = (content: readonly ContentBlock[]) =>
  content.map((block) => (block.type === 'text' ? block.text : block.type === 'resource' && 'text' in block.resource ? block.resource.text : block.type));

describe('texts in one budget', () => {
  it.each<[string, readonly CleanBlock[], number, readonly string[], boolean]>([
    ['that fit', [text('a'.repeat(50)), text('b'.repeat(50))], 100, ['a'.repeat(50), 'b'.repeat(50)], false],
    ['of which the second is cut', [text('a'.repeat(50)), text('b'.repeat(50))], 99, ['a'.repeat(50), `${'b'.repeat(37)}\n${MESSAGE}`], true],
    ['of which the third has no room, not for an empty shell', [text('a'.repeat(99)), text('b'.repeat(5)), text('c'), text('d')], 100, ['a'.repeat(99), '[', CUT], true],
    ['of which the first has none', [text('abc')], 0, ['', CUT], true],
    ['with words of devs, which come first', [text('a'.repeat(60)), notice('n'.repeat(60))], 100, [`${'a'.repeat(28)}\n${MESSAGE}`, 'n'.repeat(60)], true],
    ['with more words of devs than fit', [text('a'.repeat(60)), notice('n'.repeat(60)), notice('m'.repeat(60)), notice('k')], 100, [`${'a'.repeat(27)}\n${MESSAGE}`, 'n'.repeat(60), 'k'], true],
    ['with the address of a resource', [resource('a'.repeat(50), `memo://${'u'.repeat(43)}`), text('b'.repeat(10))], 100, ['a'.repeat(50), CUT], true],
  ])('%s', (_name, blocks, maxSizeBytes, expected, truncated) => {
    const fitted = fitBlocks(blocks, maxSizeBytes);
    expect([wordsOf(fitted.content), fitted.truncated]).toEqual([expected, truncated]);
  });

  it('have their boundaries in it, and none stands around nothing', () => {
    const settings = { wrapperBytes: 20, wrap: (words: string) => `<<<<<<<<<<${words}>>>>>>>>>>` };
    expect(wordsOf(fitBlocks([text('a'.repeat(80))], 100, settings).content)).toEqual([`<<<<<<<<<<${'a'.repeat(80)}>>>>>>>>>>`]);
    expect(wordsOf(fitBlocks([text('a'.repeat(81))], 100, settings).content)).toEqual([`<<<<<<<<<<${'a'.repeat(68)}\n${MESSAGE}>>>>>>>>>>`]);
    expect(wordsOf(fitBlocks([text('a')], 19, settings).content)).toEqual(['', CUT]);
    expect(wordsOf(fitBlocks([text('a'.repeat(70)), text('b'.repeat(30))], 100, settings).content).slice(0, -1).join('').length).toBeLessThanOrEqual(100);
    expect(wordsOf(fitBlocks([text('a'.repeat(480)), text('b'.repeat(30))], 512, settings).content).join('').length).toBeLessThanOrEqual(512);
  });

  it('say their own message where their own budget cuts, as it was cleaned, and that of devs where the hard cap does', () => {
    const clean = (words: string) => words.toUpperCase();
    expect(wordsOf(fitBlocks([text('a'.repeat(60))], 50, { clean }).content)).toEqual([`${'a'.repeat(38)}\n[TRUNCATED]`]);
    expect(wordsOf(fitBlocks([text('a'.repeat(60))], 50, { clean, hardCap: 50 }).content)[0]).not.toContain('[TRUNCATED]');
    expect(wordsOf(fitBlocks([text('a'.repeat(60))], 5_000, { clean, hardCap: 50 }).content)[0]?.length).toBeLessThanOrEqual(50);
  });

  it('end with nothing that must not stand at an end', () => {
    const avoid = (piece: string) => (piece.endsWith('b') ? piece.length - 1 : undefined);
    expect(wordsOf(fitBlocks([text(`${'a'.repeat(37)}b${'c'.repeat(60)}`)], 50, { avoid }).content)).toEqual([`${'a'.repeat(37)}\n${MESSAGE}`]);
  });
});

describe('what is no text', () => {
  it('has the hard cap, and a link also the budget', () => {
    expect(fitBlocks([image(500)], 100).content.map(({ type }) => type)).toEqual(['image']);
    expect(wordsOf(fitBlocks([link(500)], 100).content)).toEqual([LEFT_OUT]);
    expect(wordsOf(fitBlocks([link(20), text('a'.repeat(60))], 100).content)[1]?.length).toBeLessThan(60);
    expect(wordsOf(fitBlocks([image(500), text('a'.repeat(60))], 100).content)[1]).toBe('a'.repeat(60));
  });

  it('is left out beyond it, which is said once, and where there is room', () => {
    expect(wordsOf(fitBlocks([image(6_000), image(6_000), image(6_000)], 100).content)).toEqual(['image', LEFT_OUT]);
    expect(fitBlocks([image(20_000)], 100)).toMatchObject({ content: [{ type: 'text', text: LEFT_OUT }], truncated: true, notices: [LEFT_OUT] });
    expect(wordsOf(fitBlocks([image(20_000)], 0).content)).toEqual([LEFT_OUT]);
    expect(fitBlocks([image(20_000)], 100, { hardCap: LEFT_OUT.length - 1 }).content).toEqual([]);
    expect(wordsOf(fitBlocks([image(20_000), text('a'.repeat(80))], 100).content)[1]).toBe(`${'a'.repeat(43)}\n${MESSAGE}`);
  });

  it('leaves less of the hard cap for what comes behind it, and a text does', () => {
    expect(wordsOf(fitBlocks([image(400), text('a'.repeat(90))], 300, { hardCap: 500 }).content)[1]).not.toBe('a'.repeat(90));
    expect(wordsOf(fitBlocks([text('a'.repeat(200)), image(200)], 300, { hardCap: 400 }).content)[1]).toBe(LEFT_OUT);
    expect(wordsOf(fitBlocks([image(200), notice('n'.repeat(100))], 300, { hardCap: 310 }).content)).toEqual([LEFT_OUT, 'n'.repeat(100)]);
  });
});

describe('what is cut off', () => {
  const keep = (kept: string[]) => (rest: string) => (kept.push(rest), 'handle-1');
  const long = 'abcdefgh'.repeat(500);

  const READ_ON = '[devs: the output goes on. Call read_more with "handle": "handle-1" to read the rest of it.]';

  it('is kept, with a notice within the budget', () => {
    const kept: string[] = [];
    const fitted = fitBlocks([text(long)], 1_024, { keep: keep(kept) });
    const words = wordsOf(fitted.content);
    expect([words[1], fitted.notices]).toEqual([READ_ON, [READ_ON]]);
    expect(Buffer.byteLength(words.join(''))).toBeLessThanOrEqual(1_024);
    expect((words[0] ?? '').replace(`\n${MESSAGE}`, '') + (kept[0] ?? '')).toBe(long);
    expect([fitted.truncated, kept.length]).toEqual([true, 1]);
  });

  it.each([0, 1, 12, 100, 255, 256, 511, 512, 1_023])('is kept and said with a budget of %d bytes, which only the notice exceeds', (maxSizeBytes) => {
    const kept: string[] = [];
    const words = wordsOf(fitBlocks([text(long)], maxSizeBytes, { keep: keep(kept) }).content);
    expect(words.at(-1)).toBe(READ_ON);
    const shown = words.slice(0, -1).join('');
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(maxSizeBytes);
    // A budget that does not hold the whole message shows none of the text.
    const head = maxSizeBytes <= MESSAGE.length + 1 ? '' : shown.replace(`\n${MESSAGE}`, '');
    expect(head + (kept[0] ?? '')).toBe(long);
    expect(wordsOf(fitBlocks([text(long)], maxSizeBytes).content).join('\n')).toMatch(/\[truncated\]|\[devs: the output was cut\.\]/);
  });

  it.each([256, 300, 400, 600])('is said within a hard cap of %d bytes', (hardCap) => {
    for (const settings of [{ hardCap }, { hardCap, keep: keep([]) }]) {
      expect(Buffer.byteLength(wordsOf(fitBlocks([image(100), text(long)], 5_000, settings).content).join(''))).toBeLessThanOrEqual(hardCap);
    }
  });

  it('is not offered where nothing keeps it, and then the budget is the text’s', () => {
    const words = wordsOf(fitBlocks([text(long)], 2_000, { keep: () => undefined }).content);
    expect(words).toEqual([`${long.slice(0, 1_988)}\n${MESSAGE}`]);
    expect(wordsOf(fitBlocks([text(long)], 2_000).content)).toEqual(words);
  });
});
