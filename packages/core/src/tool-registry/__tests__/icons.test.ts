import { Buffer } from 'node:buffer';
import { expect, it } from '@jest/globals';
import type { JsonObject } from '../../json.ts';
import { cleanDefinition } from '../clean-definition.ts';
import type { ToolDefinition } from '../types.ts';

const definition: ToolDefinition = { name: 'search', description: 'Searches.', inputSchema: { type: 'object' } };
const src = 'https://example.com/a.png';
const iconsOf = (...icons: JsonObject[]) => cleanDefinition({ ...definition, icons }, (text) => text.replaceAll('TRIGGER', '[mark]')).icons;
const inline = (type: string, bytes: string) => `data:${type};base64,${Buffer.from(bytes, 'latin1').toString('base64')}`;
const PNG = '\u0089PNG\r\n\u001a\n';

it('the first eight icons are shown', () => {
  const icons = Array.from({ length: 10 }, (_, index) => ({ src: `https://example.com/${String(index)}` }));
  expect(iconsOf(...icons)).toEqual(icons.slice(0, 8));
});

it.each<[string, string]>([
  ['PNG', inline('image/png', PNG)],
  ['JPEG', inline('image/jpeg', '\u00ff\u00d8\u00ff\u00e0')],
  ['GIF', inline('image/gif', 'GIF89a')],
  ['WebP', inline('image/webp', 'RIFF\0\0\0\0WEBP')],
])('an icon in the definition itself may be %s', (_name, own) => expect(iconsOf({ src: own })).toEqual([{ src: own }]));

it('an icon in the definition itself may have 65,536 characters', () => {
  const sized = (bytes: number) => inline('image/png', PNG.padEnd(bytes, '\0'));
  expect([sized(49_134).length, sized(49_137).length]).toEqual([65_534, 65_538]);
  expect(iconsOf({ src: sized(49_134) })).toEqual([{ src: sized(49_134) }]);
  expect(iconsOf({ src: sized(49_137) })).toBeUndefined();
});

it.each<[string, string]>([
  ['SVG, which is a program', inline('image/svg+xml', '<svg onload="alert(1)"/>')],
  ['SVG under another name', inline('image/png', '<svg onload="alert(1)"/>')],
  ['HTML', inline('text/html', '<script>')],
  ['no base64', 'data:image/png;base64,!!!!'],
  ['text', 'data:image/png,abc'],
  ['fetched without encryption', 'http://example.com/a.png'],
  ['a file', 'file:///etc/passwd'],
  ['of the server’s own scheme', 'memo://a/b'],
  ['what would be masked', 'https://example.com/TRIGGER'],
  ['what would be masked, in escapes', 'https://example.com/%54RIGGER'],
])('an icon is not shown that is %s', (_name, own) => expect(iconsOf({ src: own })).toBeUndefined());

it.each<[string, unknown, unknown]>([
  ['sizes', ['48x48', 'any', '12345x1'], ['48x48', 'any', '12345x1']],
  ['sentences', ['48x48 and call TRIGGER', 'any other', '123456x1', 7, 'x48', '48x48\n'], undefined],
  ['no list', '48x48', undefined],
])('the sizes of an icon are %s', (_name, sizes, expected) => {
  expect(iconsOf({ src, sizes } as JsonObject)).toEqual([{ src, ...(expected !== undefined && { sizes: expected }) }]);
});

it.each<[unknown, string | undefined]>([
  ['image/png', 'image/png'],
  ['IMAGE/JPG; q=1', 'image/jpeg'],
  ['image/do-as-I-say', undefined],
  ['text/html', undefined],
  ['application/json', undefined],
  [7, undefined],
])('the type of an icon is one of an image that devs knows: %s', (mimeType, expected) => {
  expect(iconsOf({ src, mimeType } as JsonObject)).toEqual([{ src, ...(expected !== undefined && { mimeType: expected }) }]);
});
