import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DevsError } from '../../../errors.ts';
import { describeBlock } from '../../../protocol/tool-result.ts';
import { Tally } from '../../pipeline/tally.ts';
import { MetaCleaner } from '../clean-meta.ts';
import { cleanBlock, type BlockCleaning } from '../content-blocks.ts';

const masked = (text: string) => text.replaceAll('ghp_x', '[mark]').replaceAll('\u200b', '');

function createCleaning(maxBytes = 1_000, hasRoles = false): BlockCleaning {
  const tally = new Tally();
  const meta = new MetaCleaner({ word: masked, tally: new Tally() });
  return {
    text: (raw) => masked(typeof raw === 'string' ? raw : Buffer.from(raw).toString()),
    line: (text, maxCharacters) => masked(text.slice(0, maxCharacters)).replace(/\s/g, ' '),
    notice: (text) => ({ type: 'text', text }),
    meta: (raw) => meta.clean(raw),
    hasRoles,
    tally,
    maxBytes,
  };
}

function base64(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('base64');
}

const png = base64('\u0089PNG\r\n\u001a\nres');
const html = base64('<script>ghp_x</script>');
const leftOut = (kind: string) => ({ type: 'text', text: `[devs: ${kind} was left out: its data could not be checked]` });
const linkLeftOut = { type: 'text', text: '[devs: a link was left out: [REDACTED:link]]' };

describe('texts', () => {
  it.each<[string, object, object]>([
    ['a text', { type: 'text', text: 'ghp_x' }, { type: 'text', text: '[mark]' }],
    ['bytes of a text', { type: 'text', text: Buffer.from('ghp_x') }, { type: 'text', text: '[mark]' }],
    ['the words of an error', { type: 'error', text: 'ghp_x' }, { type: 'error', text: '[mark]' }],
    ['members nobody knows', { type: 'text', text: 'a', html: '<b>ghp_x</b>' }, { type: 'text', text: 'a' }],
    ['an unknown kind', { type: 'tool_use', input: 'ghp_x' }, { type: 'text', text: '[devs: content of an unknown kind was left out]' }],
    ['a kind that every object has', { type: 'constructor' }, { type: 'text', text: '[devs: content of an unknown kind was left out]' }],
    ['no kind', {}, { type: 'text', text: '[devs: content of an unknown kind was left out]' }],
  ])('%s', (_name, block, expected) => {
    expect(cleanBlock(block, createCleaning())).toEqual(expected);
  });

  it('withholds a text block without a text', () => {
    expect(() => cleanBlock({ type: 'text', text: 1 }, createCleaning())).toThrow(DevsError);
    expect(() => cleanBlock(Object.create({ type: 'text', text: 'inherited' }), createCleaning())).not.toThrow();
  });
});

describe('images, sounds and files', () => {
  it.each<[string, string, string]>([
    ['image/png', '\u0089PNG\r\n\u001a\n', 'image/png'],
    ['IMAGE/JPG; q=1', '\u00ff\u00d8\u00ff', 'image/jpeg'],
    ['image/gif', 'GIF89a', 'image/gif'],
    ['image/webp', 'RIFF....WEBP', 'image/webp'],
    ['image/avif', '....ftypavif', 'image/avif'],
    ['audio/x-wav', 'RIFF....WAVE', 'audio/wav'],
    ['audio/mp3', 'ID3', 'audio/mpeg'],
    ['audio/mpeg', '\u00ff\u00fb', 'audio/mpeg'],
    ['audio/ogg', 'OggS', 'audio/ogg'],
    ['audio/flac', 'fLaC', 'audio/flac'],
    ['audio/mp4', '....ftypM4A ', 'audio/mp4'],
  ])('passes on %s that begins as such', (mimeType, start, canonical) => {
    const type = mimeType.toLowerCase().startsWith('image') ? 'image' : 'audio';
    const data = base64(start);
    expect(cleanBlock({ type, data, mimeType }, createCleaning())).toEqual({ type, data, mimeType: canonical });
    const resource = { uri: 'file:///a', blob: data, mimeType };
    expect(cleanBlock({ type: 'resource', resource }, createCleaning())).toEqual({ type: 'resource', resource: { uri: 'file:///a', blob: data, mimeType: canonical } });
    expect(cleanBlock({ type, data: base64(`x${start}`), mimeType }, createCleaning())).toEqual(leftOut(`${type} of type ${canonical}`));
  });

  it.each<[string, object, object]>([
    ['a page that says it is a picture', { type: 'image', data: html, mimeType: 'image/png' }, leftOut('image of type image/png')],
    ['a sound that says it is a picture', { type: 'image', data: base64('OggS'), mimeType: 'audio/ogg' }, leftOut('image of type audio/ogg')],
    ['a kind that is not on the list', { type: 'image', data: base64('BM'), mimeType: 'image/bmp' }, leftOut('image')],
    ['a kind that is a sentence', { type: 'image', data: png, mimeType: 'obey me/now' }, leftOut('image')],
    ['no kind', { type: 'audio', data: base64('ID3') }, leftOut('audio')],
    ['no data', { type: 'image', mimeType: 'image/png' }, leftOut('image of type image/png')],
    ['a vector graphic, which is a text', { type: 'image', data: html, mimeType: 'image/svg+xml' }, { type: 'text', text: '<script>[mark]</script>' }],
    ['bytes that say they are a text', { type: 'image', data: base64('\u0000\u0001'), mimeType: 'image/svg+xml' }, leftOut('image')],
    ['an address in the place of data', { type: 'image', data: 'https://example.com/a.png', mimeType: 'image/png' }, leftOut('image of type image/png')],
  ])('%s', (_name, block, expected) => {
    expect(cleanBlock(block, createCleaning())).toEqual(expected);
  });

  it.each([
    ['white space', `${png.slice(0, 4)}\n${png.slice(4)}`],
    ['no padding', png.replaceAll('=', '')],
    ['too much padding', `${png}====`],
    ['the alphabet of URLs', base64('\u0089PNG\r\n\u001a\n\u00ff\u00ff\u00fe').replaceAll('/', '_')],
    ['bits that say nothing', base64('\u0089PNG\r\n\u001a\nab').replace(/.==?$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}${end.slice(1)}`)],
    ['a second text behind the first', `${png}${html}`],
    ['a line of a data URL', `data:image/png;base64,${png}`],
  ])('refuses base64 with %s', (_name, data) => {
    expect(cleanBlock({ type: 'image', data, mimeType: 'image/png' }, createCleaning())).toEqual(leftOut('image of type image/png'));
  });

  it('refuses what is larger than the limit once it is decoded', () => {
    const data = base64(`\u0089PNG\r\n\u001a\n${'x'.repeat(92)}`);
    expect(cleanBlock({ type: 'image', data, mimeType: 'image/png' }, createCleaning(100)).type).toBe('image');
    expect(cleanBlock({ type: 'image', data, mimeType: 'image/png' }, createCleaning(99)).type).toBe('text');
  });
});

describe('resources', () => {
  it.each<[string, object, object]>([
    ['a text', { uri: 'memo://a/b', text: 'ghp_x', mimeType: 'Text/Markdown' }, { uri: 'memo://a/b', text: '[mark]', mimeType: 'text/markdown' }],
    ['a text in base64', { uri: 'file:///a.txt', blob: base64('ghp_x'), mimeType: 'text/plain' }, { uri: 'file:///a.txt', text: '[mark]', mimeType: 'text/plain' }],
    ['JSON in base64', { uri: 'file:///a', blob: base64('{"a":"ghp_x"}'), mimeType: 'application/json' }, { uri: 'file:///a', text: '{"a":"[mark]"}', mimeType: 'application/json' }],
    ['base64 of no named kind that is a text', { uri: 'file:///a', blob: base64('ghp_x') }, { uri: 'file:///a', text: '[mark]' }],
    ['a document', { uri: 'file:///a', blob: base64('%PDF-1.7'), mimeType: 'application/pdf' }, { uri: 'file:///a', blob: base64('%PDF-1.7'), mimeType: 'application/pdf' }],
    ['unknown members', { uri: 'file:///a', text: 'a', _meta: { 'x/y': 'ghp_x', 'devs/a': 1 }, evil: 1 }, { uri: 'file:///a', text: 'a', _meta: { 'x/y': '[mark]' } }],
    ['a text of a type that says nothing', { uri: 'file:///a', blob: base64('ghp_x'), mimeType: 'application/octet-stream' }, { uri: 'file:///a', text: '[mark]', mimeType: 'application/octet-stream' }],
  ])('%s', (_name, resource, expected) => {
    expect(cleanBlock({ type: 'resource', resource }, createCleaning())).toEqual({ type: 'resource', resource: expected });
  });

  it.each<[string, unknown, object]>([
    ['a text without a safe address', { uri: 'javascript:alert(1)', text: 'ghp_x' }, { type: 'text', text: '[REDACTED:link]\n[mark]' }],
    ['a file without one', { uri: 'data:,a', blob: png, mimeType: 'image/png' }, { type: 'text', text: '[devs: a file was left out: [REDACTED:link]]' }],
    ['an archive that is none', { uri: 'file:///a', blob: base64('\u0000PK\u0003\u0004'), mimeType: 'application/zip' }, leftOut('file of type application/zip')],
    ['a program', { uri: 'file:///a', blob: base64('\u0000asm\u0001'), mimeType: 'application/wasm' }, leftOut('file')],
    ['bytes of a type that says nothing', { uri: 'file:///a', blob: base64('\u0000'), mimeType: 'application/octet-stream' }, leftOut('file')],
    ['bytes of no named kind', { uri: 'file:///a', blob: base64('\u0000') }, leftOut('file')],
    ['nothing', undefined, leftOut('file')],
    ['neither text nor file', { uri: 'file:///a' }, leftOut('file')],
  ])('%s', (_name, resource, expected) => {
    expect(cleanBlock({ type: 'resource', resource }, createCleaning())).toEqual(expected);
  });
});

describe('links', () => {
  it('are made anew, each member cleaned', () => {
    const block = { type: 'resource_link', uri: 'HTTPS://Example.COM/a', name: 'gh\u200bp_x\nb', title: 'ghp_x', description: 'c', mimeType: 'text/html', size: 3, icons: [{ src: 'https://a' }] };
    expect(cleanBlock(block, createCleaning())).toEqual({
      type: 'resource_link', uri: 'https://example.com/a', name: 'ghp_x b', title: '[mark]', description: 'c', mimeType: 'text/html', size: 3,
    });
  });

  it('have no size of -0, which JSON does not know', () => {
    const block = { type: 'resource_link', uri: 'https://example.com/', name: 'a', size: -0, annotations: { priority: -0 } };
    expect(cleanBlock(block, createCleaning())).toEqual({ ...block, size: 0, annotations: { priority: 0 } });
  });

  it.each(['https://example.com/?t=ghp_x', 'https://example.com/?t=%67hp_x', 'memo://%67%68p_x', 'https://example.com/%0aobey', 'https://example.com/%ff', 'javascript://x', '', undefined, 5])(
    'are left out when the address is %j',
    (uri) => {
      const cleaning = createCleaning();
      expect(cleanBlock({ type: 'resource_link', uri, name: 'a' }, cleaning)).toEqual(linkLeftOut);
      expect(cleaning.tally.counts).toEqual({ 'links:uri': 1 });
    },
  );
});

describe('members beside the content', () => {
  const annotated = (annotations: unknown) => cleanBlock({ type: 'text', text: '', annotations }, createCleaning()).annotations;

  it.each<[string, unknown, unknown]>([
    ['all that MCP knows', { audience: ['assistant', 'user'], priority: 0.5, lastModified: '2026-01-02T03:04:05.678Z' }, { audience: ['user', 'assistant'], priority: 0.5, lastModified: '2026-01-02T03:04:05.678Z' }],
    ['others', { note: 'ghp_x', audience: ['user'] }, { audience: ['user'] }],
    ['another audience', { audience: ['user', 'obey me'], priority: 1 }, { priority: 1 }],
    ['the same one twice', { audience: ['user', 'user'] }, undefined],
    ['a priority that is none', { priority: 2, lastModified: '2026-01-02' }, { lastModified: '2026-01-02' }],
    ['not a number', { priority: Number.NaN }, undefined],
    ['a time that is a sentence', { lastModified: '2026-01-02T03:04:05Z, obey me' }, undefined],
    ['no object', 'ghp_x', undefined],
  ])('annotations: %s', (_name, annotations, expected) => {
    expect(annotated(annotations)).toEqual(expected);
  });

  it.each<[string, object, boolean, object]>([
    ['a role in a prompt', { role: 'assistant' }, true, { role: 'assistant' }],
    ['a role in the result of a tool', { role: 'assistant' }, false, {}],
    ['a role that is none', { role: 'system' }, true, {}],
    ['_meta', { _meta: { 'x/y': 'ghp_x' } }, false, { _meta: { 'x/y': '[mark]' } }],
    ['_meta with nothing that may pass', { _meta: { 'devs/refusal': {} } }, false, {}],
  ])('%s', (_name, members, hasRoles, expected) => {
    expect(cleanBlock({ type: 'text', text: '', ...members }, createCleaning(1_000, hasRoles))).toEqual({ type: 'text', text: '', ...expected });
  });
});

it('gives what it would give again, whatever comes', () => {
  const any = fc.anything({ withNullPrototype: true, maxDepth: 2 });
  const block = fc.record(
    {
      type: fc.constantFrom('image', 'audio', 'resource', 'resource_link', 'x'),
      data: fc.oneof(fc.base64String(), fc.constant(png), any),
      mimeType: fc.oneof(fc.constantFrom('image/png', 'text/plain', 'image/svg+xml'), any),
      uri: fc.oneof(fc.webUrl(), fc.constant('memo://a'), any),
      resource: fc.record({ uri: fc.oneof(fc.webUrl(), any), text: any, blob: fc.oneof(fc.base64String(), any), mimeType: any }, { requiredKeys: [] }),
      name: any,
      size: any,
      annotations: any,
      _meta: any,
    },
    { requiredKeys: ['type'] },
  );
  fc.assert(
    fc.property(block, (raw) => {
      const once = cleanBlock(raw, createCleaning());
      expect(cleanBlock(once, createCleaning())).toEqual(once);
      expect(JSON.parse(JSON.stringify(once))).toEqual(once);
      expect(typeof describeBlock(once)).toBe('string');
    }),
    { numRuns: 2_000 },
  );
});
