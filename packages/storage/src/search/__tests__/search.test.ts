import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { callId } from '../../__tests__/fixtures.ts';
import { openSqliteAgentLogReader } from '../../index.ts';
import { createScene, textOf, type Scene } from './scene.ts';

let scene: Scene;
beforeEach(() => {
  scene = createScene();
});
afterEach(() => scene[Symbol.dispose]());

describe('scripts that are written without spaces', () => {
  beforeEach(async () => {
    await scene.write(textOf('我们的网络请求失败了，请检查订单号。'), textOf('การเชื่อมต่อล้มเหลว'), textOf('エラーが発生しました abc網膜'));
  });

  it.each<[string, readonly number[]]>([
    ['网络', [1]],
    ['请求失败', [1]],
    ['络网', []],
    ['订单号', [1]],
    ['เชื่อมต่อ', [2]],
    ['エラー', [3]],
    ['発生', [3]],
    ['abc', [3]],
    ['網*', [3]],
  ])('finds %s within a sentence', async (words, expected) => {
    expect(await scene.found(words)).toEqual(expected);
  });

  it('agrees with the log', async () => {
    await scene.found('网络');
    expect(await scene.check()).toBeUndefined();
  });
});

describe('records that are large', () => {
  it('are read a few at a time, and all of them: by a search, by its check, by whoever follows the log', async () => {
    const text = 'é'.repeat(120_000);
    await scene.write(...Array.from({ length: 90 }, (_, index) => textOf(`${text} word${index}`)));
    expect(await scene.found('word0')).toEqual([1]);
    expect(await scene.found('word89')).toEqual([90]);
    expect(await scene.check()).toBeUndefined();
    await using reader = openSqliteAgentLogReader({ file: scene.log });
    const seqs: number[] = [];
    let longest = 0;
    for (let page = await reader.tail(0, 500); page.length > 0; page = await reader.tail(seqs.at(-1) ?? 0, 500)) {
      longest = Math.max(longest, page.length);
      seqs.push(...page.map(({ seq }) => seq));
    }
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, index) => index + 1));
    expect(seqs.length).toBeGreaterThan(180);
    expect(longest).toBeLessThan(seqs.length);
  });
});

describe('search', () => {
  beforeEach(async () => {
    await scene.write(
      { toolName: 'read_file', agentId: 'smith', input: { path: 'src/invoice-totals.ts' }, ...textOf('The quick brown fox; nothing else.') },
      { toolName: 'query_orders', agentId: 'jones', input: { where: { customer: 'Ägir GmbH', port: 8443 } }, ...textOf('brown quick') },
      { toolName: 'read_file', agentId: 'jones', status: 'error', isError: true, detail: 'disk melted', ...textOf('ｆｕｌｌ ｗｉｄｔｈ and ﬁne print') },
    );
  });

  it.each<[string, string, readonly number[]]>([
    ['a word of an answer', 'fox', [1]],
    ['in other letters', 'FOX', [1]],
    ['the newest first', 'quick', [2, 1]],
    ['all words, of the input and the answer', 'fox invoice', [1]],
    ['words that are never together', 'fox melted', []],
    ['no part of a word', 'voice', []],
    ['the start of a word', 'invo*', [1]],
    ['not the start without its star', 'invo', []],
    ['words in this order', '"quick brown"', [1]],
    ['the other order', '"brown quick"', [2]],
    ['not across two texts', '"ts the"', []],
    ['a path, as words in this order', 'src/invoice-totals.ts', [1]],
    ['the same words in another order', 'totals/invoice', []],
    ['an order that ends in a start', '"quick bro*"', [1]],
    ['a name of a member', 'customer', [2]],
    ['a number', '8443', [2]],
    ['beyond ASCII', 'ägir', [2]],
    ['composed otherwise', 'a\u0308gir', [2]],
    ['compatible letters', 'full width fine', [3]],
    ['the detail, for operators', 'melted', [3]],
    ['the tool', 'query_orders', [2]],
    ['the agent', 'jones', [3, 2]],
    ['a word that FTS5 would take for its own', 'OR', []],
    ['what FTS5 would take for a query', 'fox" OR "quick', []],
    ['a column of FTS5', 'text:fox', []],
    ['a quote that does not end', '"quick brown', [1]],
  ])('%s', async (_name, words, expected) => {
    expect(await scene.found(words)).toEqual(expected);
  });

  it.each(['', '   ', '*', '"', '-- ;', '""'])('refuses %j: no word is in it', async (words) => {
    await expect(scene.search(words)).rejects.toMatchObject({ code: 'LOG_QUERY_REFUSED' });
  });

  it('refuses more words than anybody means', async () => {
    await expect(scene.search('a '.repeat(129))).rejects.toMatchObject({ code: 'LOG_QUERY_REFUSED' });
  });

  it.each<[object, readonly number[]]>([
    [{ toolName: 'read_file' }, [3, 1]],
    [{ agentId: 'jones' }, [3, 2]],
    [{ agentId: 'jones', toolName: 'read_file' }, [3]],
    [{ status: 'error' }, [3]],
    [{ status: 'started' }, []],
    [{ since: '2999-01-01T00:00:00.000Z' }, []],
    [{ phaseId: 'none' }, []],
    // One that is no name at all narrows to nothing, not to everything.
    [{ toolName: '---' }, []],
  ])('keeps to the filter %j', async (query, expected) => {
    expect(await scene.found('type', query)).toEqual(expected);
  });

  it('gives pages that join without a gap', async () => {
    const pages: (readonly number[])[] = [];
    for (let before: number | undefined; ; ) {
      const { hits, next } = await scene.search('type', { limit: 1, ...(before !== undefined && { before }) });
      pages.push(hits.map(({ entry }) => Number(entry.id.slice(0, 8))));
      if (next === undefined) break;
      before = next;
    }
    expect(pages.flat()).toEqual([3, 2, 1]);
  });

  it('shows what stands around the word that was found', async () => {
    const { hits } = await scene.search('brown fox');
    expect(hits.map(({ excerpt }) => excerpt)).toEqual([{ before: 'The quick ', found: 'brown', after: ' fox; nothing else.' }]);
  });

  it('finds a call that has not ended, and once it has, once', async () => {
    await scene.begin(callId(9), { path: 'unfinished business' });
    expect(await scene.found('unfinished')).toEqual([9]);
    await scene.write({ id: callId(10) });
    // Its devs has gone; the next one has said so.
    expect(await scene.found('unfinished')).toEqual([9]);
    expect(await scene.found('unfinished', { status: 'unknown' })).toEqual([9]);
  });

  it('finds what came since, and what is long, deep or no text', async () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 400; level += 1) deep = [deep];
    await scene.write({ input: deep }, { input: { blob: `${'x'.repeat(70)}tail` } }, { input: { '\uD800': '\uD800lonely' } });
    expect(await scene.found('bottom')).toEqual([4]);
    expect(await scene.found('x'.repeat(64))).toEqual([5]);
    expect(await scene.found(`${'x'.repeat(70)}tail`)).toEqual([5]);
    expect(await scene.found('lonely')).toEqual([6]);
    expect(await scene.check()).toBeUndefined();
  });
});
