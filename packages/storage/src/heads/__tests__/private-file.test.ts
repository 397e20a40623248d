import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createTempFolder } from '../../__tests__/fixtures.ts';
import { createPrivate, replacePrivate } from '../private-file.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

/** What was asked of the disk, in order. */
function watchDisk(): readonly string[] {
  const steps: string[] = [];
  const { fsyncSync, renameSync, linkSync } = fs;
  jest.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
    steps.push(fs.fstatSync(descriptor).isDirectory() ? 'sync folder' : 'sync file');
    fsyncSync(descriptor);
  });
  jest.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    steps.push('name');
    renameSync(from, to);
  });
  jest.spyOn(fs, 'linkSync').mockImplementation((from, to) => {
    steps.push('name');
    linkSync(from, to);
  });
  return steps;
}

describe.each([
  ['replacePrivate', replacePrivate],
  ['createPrivate', createPrivate],
])('%s', (_name, write) => {
  it('has the bytes on the disk before the name, and then the name', () => {
    using temp = createTempFolder();
    const steps = watchDisk();
    write(path.join(temp.path, 'file'), 'text');
    expect(steps).toEqual(['sync file', 'name', 'sync folder']);
  });

  it('leaves nothing behind when the disk refuses', () => {
    using temp = createTempFolder();
    const file = path.join(temp.path, 'file');
    jest.spyOn(fs, 'fsyncSync').mockImplementation(() => {
      throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    });
    expect(() => write(file, 'text')).toThrow('ENOSPC');
    expect(fs.readdirSync(temp.path)).toEqual([]);
  });
});

it('a file that is there is replaced by one, and kept by the other', () => {
  using temp = createTempFolder();
  const file = path.join(temp.path, 'file');
  createPrivate(file, 'one');
  createPrivate(file, 'two');
  expect(fs.readFileSync(file, 'utf8')).toBe('one');
  replacePrivate(file, 'three');
  expect(fs.readFileSync(file, 'utf8')).toBe('three');
  expect(fs.readdirSync(temp.path)).toEqual(['file']);
});
