import { describe, expect, it } from '@jest/globals';
import { withCleanLines } from '../clean-lines.ts';
import type { LogFields, StructuredLogger } from '../structured-logger.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

function linesOf(level: (typeof LEVELS)[number], fields: LogFields): readonly unknown[] {
  const lines: unknown[] = [];
  const write = (name: string) => (event: string, line?: LogFields) => void lines.push([name, event, line]);
  const logger: StructuredLogger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  withCleanLines(logger, (text) => text.replaceAll('ghp_x', '[mark]'))[level]('EVENT', fields);
  return lines;
}

describe.each(LEVELS)('a line of level %s', (level) => {
  it('is cleaned, and written once, at its level', () => {
    expect(linesOf(level, { ghp_x: ['ghp_x'] })).toEqual([[level, 'EVENT', { '[mark]': ['[mark]'] }]]);
  });

  it('says nothing of what is no data', () => {
    const called = () => 'ghp_x';
    const leftOut = '[left out: it could not be cleaned]';
    expect(linesOf(level, { called, symbol: Symbol('ghp_x') })).toEqual([[level, 'EVENT', { called: leftOut, symbol: leftOut }]]);
  });
});

it('a line is told to its fifth level', () => {
  const nested = (levels: number): LogFields => (levels === 0 ? { end: 'ghp_x' } : { inner: nested(levels - 1) });
  expect(JSON.stringify(linesOf('info', nested(5)))).toContain('"end":"[mark]"');
  expect(JSON.stringify(linesOf('info', nested(6)))).toContain('{"inner":"[left out: it could not be cleaned]"}');
});
