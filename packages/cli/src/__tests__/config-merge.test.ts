import { describe, expect, it } from '@jest/globals';
import { mergeLayers } from '../config/merge.ts';

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
