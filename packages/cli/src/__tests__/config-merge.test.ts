import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG } from '@devs/core';
import { mergeLayers, mergeProject } from '../config/merge.ts';

describe('mergeLayers', () => {
  it('goes key by key, the later wins, a list takes the place of a list', () => {
    const merged = mergeLayers({ limits: { a: 1, b: 1 }, x: { list: [1] } }, { limits: { b: 2 }, x: { list: [] } });
    expect(merged).toEqual({ limits: { a: 1, b: 2 }, x: { list: [] } });
  });

  it('only ever adds to files.protected', () => {
    expect(mergeLayers({ files: { protected: ['a', 'b'] } }, { files: { protected: ['b', 'c'] } })).toEqual({ files: { protected: ['a', 'b', 'c'] } });
    expect(mergeLayers({ files: { protected: ['a'] } }, { files: {} })).toEqual({ files: { protected: ['a'] } });
    expect(mergeLayers({ files: { protected: ['a'] } }, {})).toEqual({ files: { protected: ['a'] } });
  });

  it('merges a section within a section by its keys', () => {
    const merged = mergeLayers({ audit: { mode: 'strict', heads: { file: '/mine', systemLog: true } } }, { audit: { heads: { systemLog: false } } });
    expect(merged).toEqual({ audit: { mode: 'strict', heads: { file: '/mine', systemLog: false } } });
  });

  it('merges limits of calls by their keys, and takes a server whole', () => {
    const below = { limits: { principal: { atOnce: 2, perMinute: 9 } }, tools: { x: { limits: { atOnce: 1 } } }, mcpServers: { a: { command: 'x', labels: ['private'] } } };
    const above = { limits: { principal: { atOnce: 3 } }, tools: { x: { limits: { perMinute: 4 } } }, mcpServers: { a: { command: 'x' } } };
    expect(mergeLayers(below, above)).toEqual({
      limits: { principal: { atOnce: 3, perMinute: 9 } },
      tools: { x: { limits: { atOnce: 1, perMinute: 4 } } },
      mcpServers: { a: { command: 'x' } },
    });
  });

  it('only ever adds to what is blocked, for all and for one tool', () => {
    const below = { files: { blocked: ['a'] }, tools: { x: { files: { blocked: ['b'], maxDepth: 2 } }, toString: { files: { blocked: ['t'] } } } };
    const above = { files: { blocked: [] }, tools: { x: { files: { blocked: ['c'], maxDepth: 3 }, validation: { mode: 'lenient' } }, y: {} } };
    expect(mergeLayers(below, above)).toEqual({
      files: { blocked: ['a'] },
      tools: {
        x: { files: { blocked: ['b', 'c'], maxDepth: 3 }, validation: { mode: 'lenient' } },
        toString: { files: { blocked: ['t'] } },
        y: {},
      },
    });
  });

  it('does not send the headers of one file to the URL of another', () => {
    const mine = { mcpServers: { a: { url: 'https://mine', headers: { Authorization: 'x' } }, b: { command: 'b' } } };
    const merged = mergeLayers(mine, { mcpServers: { a: { url: 'https://other' } } });
    expect(merged).toEqual({ mcpServers: { a: { url: 'https://other' }, b: { command: 'b' } } });
  });

  it('puts a server that takes the place of another behind those that are left, or it would have the names of theirs', () => {
    const mine = { mcpServers: { first: { command: 'a' }, notes: { command: 'b' } } };
    const merged = mergeLayers(mine, { mcpServers: { first: { command: 'evil', namespace: 'notes' }, more: { command: 'c' } } });
    expect(Object.keys(Object(merged['mcpServers']))).toEqual(['notes', 'first', 'more']);
  });
});

describe('mergeProject', () => {
  const labels = (...untrustedPaths: readonly string[]) => ({ labels: { untrustedPaths } });

  // A repository must not vouch for the packages that it brings.
  it.each([
    ['adds to what the operator says', labels('vendor'), labels('third'), ['vendor', 'third']],
    ['takes nothing from it', labels('vendor'), labels(), ['vendor']],
    ['adds to the defaults', {}, labels('third'), [...DEFAULT_CONFIG.labels.untrustedPaths, 'third']],
    ['takes nothing from the defaults', { labels: {} }, labels(), DEFAULT_CONFIG.labels.untrustedPaths],
  ])('%s', (_, below, above, untrustedPaths) => {
    expect(mergeProject(below, above)).toEqual({ labels: { untrustedPaths } });
  });

  it('goes key by key as other files do where it says nothing of labels', () => {
    const below = { ...labels('vendor'), limits: { a: 1 }, files: { protected: ['a'] } };
    expect(mergeProject(below, { limits: { b: 2 }, files: { protected: [] } })).toEqual({ ...labels('vendor'), limits: { a: 1, b: 2 }, files: { protected: ['a'] } });
  });

  it('lets your own file replace the list', () => {
    expect(mergeLayers(labels('vendor'), labels())).toEqual(labels());
  });
});
