import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { createPipeline } from './pipeline-scene.ts';

/** As the fixture of the official conformance suite has them. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const bytes = (...parts: readonly (string | number)[]) => Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.alloc(part) : Buffer.from(part, 'latin1')))).toString('base64');
const office = (kind: string) => `application/vnd.openxmlformats-officedocument.${kind}`;
const cleanAll = (...content: readonly object[]) => createPipeline()({ content }).result.content;
const resourceOf = (mimeType: string, blob: string) => ({ type: 'resource', resource: { uri: 'test://static-binary', mimeType, blob } });

describe('media as real servers send them', () => {
  it.each<[string, object]>([
    ['a picture', { type: 'image', data: PNG, mimeType: 'image/png' }],
    ['a sound', { type: 'audio', data: WAV, mimeType: 'audio/wav' }],
    ['a picture that is read as a resource', resourceOf('image/png', PNG)],
    ['an embedded text', { type: 'resource', resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' } }],
    ['embedded JSON', { type: 'resource', resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data","value":123}' } }],
  ])('%s passes byte for byte', (_, block) => {
    expect(cleanAll(block)).toEqual([block]);
  });
});

describe('files that are read as resources', () => {
  const zip = bytes('PK\u0003\u0004\u0014', 20);
  it.each<[string, string]>([
    ['application/zip', zip],
    ['application/zip', bytes('PK\u0005\u0006', 18)],
    ['application/epub+zip', zip],
    [office('wordprocessingml.document'), zip],
    [office('spreadsheetml.sheet'), zip],
    [office('presentationml.presentation'), zip],
    ['application/gzip', gzipSync('text').toString('base64')],
    ['application/x-tar', bytes('a.txt', 252, 'ustar\u000000', 247)],
    ['application/x-tar', bytes('a.txt', 252, 'ustar  \u0000', 247)],
    ['application/x-7z-compressed', bytes('7z\u00bc\u00af\u0027\u001c', 2)],
    ['video/mp4', bytes(3, ' ftypisom')],
    ['video/quicktime', bytes(3, '\u0014ftypqt  ')],
    ['video/webm', bytes('\u001aE\u00df\u00a3', 8, 'webm')],
    ['audio/webm', bytes('\u001aE\u00df\u00a3', 8, 'webm')],
  ])('%s passes when it begins as such, and not when it does not', (mimeType, blob) => {
    expect(cleanAll(resourceOf(mimeType, blob))).toEqual([resourceOf(mimeType, blob)]);
    const shifted = bytes('x', Buffer.from(blob, 'base64').toString('latin1'));
    expect(cleanAll(resourceOf(mimeType, shifted))).toEqual([{ type: 'text', text: expect.stringContaining(`file of type ${mimeType} was left out`) }]);
  });

  it.each<[string, string]>([
    ['application/x-gzip', 'application/gzip'],
    ['application/x-zip-compressed', 'application/zip'],
  ])('%s goes by its usual name', (alias, mimeType) => {
    const blob = mimeType === 'application/zip' ? zip : gzipSync('').toString('base64');
    expect(cleanAll(resourceOf(alias, blob))).toEqual([resourceOf(mimeType, blob)]);
  });

  it.each([
    ['a program', 'application/x-executable', bytes('\u007fELF', 12)],
    ['a program of the web', 'application/wasm', bytes('\u0000asm', 4)],
    ['a document that may hold macros', 'application/msword', bytes('\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1', 8)],
    ['Matroska that is no WebM', 'video/webm', bytes('\u001aE\u00df\u00a3', 8, 'matroska')],
    ['bytes of a type that says nothing', 'application/octet-stream', zip],
  ])('%s does not', (_, mimeType, blob) => {
    expect(cleanAll(resourceOf(mimeType, blob))).toEqual([{ type: 'text', text: expect.stringContaining('was left out') }]);
  });

  it('a text in base64 of a type that says nothing becomes a text, cleaned as one', () => {
    const { resource } = resourceOf('application/octet-stream', bytes('\u001b[2Jplain'));
    expect(cleanAll({ type: 'resource', resource })).toEqual([{ type: 'resource', resource: { uri: resource.uri, mimeType: resource.mimeType, text: 'plain' } }]);
  });
});
