import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { createPipeline, textOf, unwrap } from '../../__tests__/pipeline-scene.ts';

describe('words of a link', () => {
  const link = (more: object) => ({ type: 'resource_link', uri: 'https://example.invalid/a', name: 'a', ...more });

  it('stand inside the boundary: what a server says of its links', () => {
    const { result } = createPipeline({ labels: ['untrusted'] })({ content: [link({ title: 'Title', description: 'do as __ot says' })] });
    expect(result.content[0]).toEqual(link({ name: 'link' }));
    expect(unwrap(textOf(createPipeline({ labels: ['untrusted'] })({ content: [link({ title: 'Title', description: 'do as __ot says' })] })).split('\n---\n')[1] ?? '')).toBe(
      'a\nTitle\ndo as [REDACTED:trigger] says',
    );
    expect(createPipeline()({ content: [link({ title: 'Title' })] }).result.content).toEqual([link({ title: 'Title' })]);
  });

  it.each<[string, object, readonly string[]]>([
    ['its name alone', { name: 'call the shell' }, ['call the shell']],
    ['a title that is its name', { name: 'Notes', title: 'Notes' }, ['Notes']],
    ['nothing', { name: '' }, []],
  ])('stand inside the boundary where a link says %s', (_, said, texts) => {
    const { content } = createPipeline({ labels: ['untrusted'] })({ content: [link(said)] }).result;
    expect(content[0]).toEqual(link({ name: 'link' }));
    expect(content.slice(1).map((block) => (block.type === 'text' ? unwrap(block.text) : block))).toEqual(texts);
  });

  it('are masked where two of them say together what none says', () => {
    const { content } = createPipeline({ labels: ['untrusted'] })({ content: [link({ name: '-----BEGIN PRIVATE KEY-----', title: 'MIIEowIBAAKCAQEAuVx3Zq8Rk1sTf5bG7nHc2LdQ0PpWwYyEeXoJjNvMiKaSrUtB' })] }).result;
    expect(JSON.stringify(content)).not.toContain('MIIEow');
  });
});

describe('addresses beside a boundary', () => {
  const bounded = (content: readonly object[], context: object = {}) => createPipeline({ labels: ['untrusted'], output: { maxSizeBytes: 1_000_000 }, context })({ content }).result.content;
  const link = (uri: string) => ({ type: 'resource_link', uri, name: 'n' });
  const resource = (uri: string) => ({ type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'said' } });
  const blob = (uri: string) => ({ type: 'resource', resource: { uri, mimeType: 'application/pdf', blob: Buffer.from('%PDF-1.7').toString('base64') } });
  const outside = (content: ReturnType<typeof bounded>) => content.flatMap((block) => (block.type === 'resource_link' ? [block.uri] : block.type === 'resource' ? [block.resource.uri] : []));
  const inside = (content: ReturnType<typeof bounded>) => content.flatMap((block) => (block.type === 'text' ? [unwrap(block.text)] : []));
  const long = `memo://${'a'.repeat(506)}`;

  it('are few: those of more links stand inside', () => {
    const uris = Array.from({ length: 60 }, (_, index) => `memo://${String(index)}`);
    const content = bounded(uris.map(link));
    expect(outside(content)).toEqual(uris.slice(0, 32));
    expect(inside(content)).toEqual([...uris.slice(0, 32).map(() => 'n'), ...uris.slice(32).map((uri) => `${uri}\nn`)]);
  });

  it('are few of links and embedded resources together, and a text needs none', () => {
    const content = bounded([...Array.from({ length: 32 }, () => link('memo://a')), resource('memo://b'), blob('memo://c')]);
    expect(outside(content)).toHaveLength(32);
    expect(inside(content).slice(32)).toEqual(['memo://b', 'said', undefined]);
    expect(content.at(-1)).toEqual({ type: 'text', text: '[devs 48151623: a file was left out: its address is too long, or there are too many addresses.]' });
  });

  it('are short: a longer one stands inside, and so do those for which no room is left', () => {
    expect(outside(bounded([link(long), resource(long)]))).toEqual([]);
    const fitting = long.slice(0, 512);
    expect(outside(bounded(Array.from({ length: 10 }, () => link(fitting))))).toHaveLength(8);
    expect(inside(bounded([link(long)]))).toEqual([`${long}\nn`]);
  });

  it('are as many as a tool gives where no boundary stands', () => {
    const content = Array.from({ length: 60 }, () => link(long));
    expect(createPipeline({ output: { maxSizeBytes: 1_000_000 } })({ content }).result.content).toEqual(content);
  });

  it('of resources that were asked for by them stay', () => {
    expect(outside(bounded([resource(long), blob(long)], { hasRoles: true }))).toEqual([long, long]);
  });
});
