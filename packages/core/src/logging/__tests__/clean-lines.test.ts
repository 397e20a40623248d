import { expect, it } from '@jest/globals';
import { withCleanLines } from '../clean-lines.ts';
import { silentLogger, type LogFields } from '../structured-logger.ts';

const clean = (text: string) => text.replaceAll('\u001b', '').replaceAll('ghp_x', '[mark]');

function linesOf(fields: LogFields, cleaning = clean): LogFields | undefined {
  let written: LogFields | undefined;
  const logger = withCleanLines({ ...silentLogger, warn: (_event, line) => void (written = line) }, cleaning);
  logger.warn('EVENT', fields);
  return written;
}

it.each<[string, LogFields, LogFields]>([
  ['texts', { error: '\u001b[2Jghp_x' }, { error: '[2J[mark]' }],
  ['names', { ghp_x: 1 }, { '[mark]': 1 }],
  ['what is inside', { a: { b: ['ghp_x', { c: 'ghp_x' }] } }, { a: { b: ['[mark]', { c: '[mark]' }] } }],
  ['nothing else', { n: 1, b: true, z: null, u: undefined, big: 1n }, { n: 1, b: true, z: null, u: undefined, big: 1n }],
])('cleans %s', (_name, fields, expected) => {
  expect(linesOf(fields)).toEqual(expected);
});

it('leaves out what it cannot clean, and what has no end', () => {
  const itself: { [key: string]: unknown } = {};
  itself['itself'] = itself;
  expect(JSON.stringify(linesOf(itself))).toContain('could not be cleaned');
  const broken = () => {
    throw new Error('secret');
  };
  expect(linesOf({ a: 'secret' }, broken)).toEqual({ '[left out: it could not be cleaned]': '[left out: it could not be cleaned]' });
});

it('cleans no line that goes nowhere', () => {
  const [cleaned, written]: [string[], string[]] = [[], []];
  const note = (event: string) => void written.push(event);
  const logger = withCleanLines({ ...silentLogger, info: note, warn: note, writes: (level) => level === 'warn' }, (text) => {
    cleaned.push(text);
    return text;
  });
  logger.info('UNSEEN', { a: 'not cleaned' });
  logger.warn('SEEN', { a: 'cleaned' });
  expect({ cleaned, written }).toEqual({ cleaned: ['a', 'cleaned'], written: ['SEEN'] });
});
