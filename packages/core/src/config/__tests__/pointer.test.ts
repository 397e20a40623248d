import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { closestName } from '../closest-name.ts';
import { describePointer, fromPointer, toPointer } from '../pointer.ts';

describe('a JSON Pointer', () => {
  it('gives back the names that it was made from', () => {
    fc.assert(fc.property(fc.array(fc.string()), (names) => expect(fromPointer(toPointer(names))).toEqual(names)));
  });

  it.each([
    ['', 'the configuration'],
    ['/limits/toolTimeoutMs', 'limits.toolTimeoutMs'],
    ['/files/protected/0', 'files.protected.0'],
    ['/mcpServers/a.b/command', 'mcpServers["a.b"].command'],
    ['/a~1b/~0', '["a/b"]["~"]'],
    ['/x\n', '["x\\n"]'],
  ])('%j reads as %s', (pointer, expected) => {
    expect(describePointer(pointer)).toBe(expected);
  });
});

describe('closestName', () => {
  const known = ['mcp', 'limits', 'toolTimeoutMs', 'mcpServers'];

  it.each([
    ['mpc', 'mcp'],
    ['limit', 'limits'],
    ['TOOLTIMEOUTMS', 'toolTimeoutMs'],
    ['mcpservers', 'mcpServers'],
    ['somethingElse', undefined],
    ['x'.repeat(65), undefined],
  ])('%s was meant to be %s', (name, expected) => {
    expect(closestName(name, known)).toBe(expected);
  });
});
