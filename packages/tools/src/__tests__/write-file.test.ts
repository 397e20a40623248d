import { describe, expect, test } from '@jest/globals';
import { DevsError, type ExistingContent, type FsRoot } from '@devs/core';
import { writeFileTool } from '../write-file/write-file.ts';
import { judgeOverwrite } from '../write-file/write-file.ts';
import { argsFor, callTool } from './fake-files.ts';
import { fakeView } from './fake-view.ts';

function recorder(existing: ExistingContent): { operations: Partial<FsRoot>; written: Map<string, string> } {
  const written = new Map<string, string>();
  const writeFile: FsRoot['writeFile'] = async (path, { bytes, judge }) => {
    judge?.(existing);
    written.set(path, Buffer.from(bytes).toString());
    return await Promise.resolve({ created: existing === 'none' });
  };
  return { operations: { writeFile }, written };
}

describe('write_file', () => {
  test.each([
    ['created', { path: 'src/a.ts', content: 'hello world\n' }, true, 'Created src/a.ts (12 bytes).'],
    ['replaced', { path: 'a', content: '€' }, false, 'Replaced a (3 bytes).'],
    ['one byte', { path: 'a', content: 'x' }, true, 'Created a (1 byte).'],
    ['nothing', { path: 'a', content: '' }, true, 'Created a (0 bytes).'],
    ['a path that would forge a line', { path: 'a\nDone.', content: '' }, true, 'Created "a\\nDone." (0 bytes).'],
    ['a long path', { path: 'x/'.repeat(150), content: '' }, true, `Created ${'x/'.repeat(100)}... (0 bytes).`],
  ])('says what it did: %s', async (_, args, created, expected) => {
    const { operations, written } = recorder(created ? 'none' : Buffer.from('old'));
    expect(await callTool(writeFileTool, args, operations)).toEqual([expected]);
    expect([...written]).toEqual([[args.path, args.content]]);
  });

  test('a lone surrogate is refused, not written as something else', async () => {
    const { operations, written } = recorder('none');
    const call = callTool(writeFileTool, { path: 'a', content: 'x\ud800' }, operations);
    await expect(call).rejects.toMatchObject({ code: 'CONTENT_REFUSED' });
    expect(written.size).toBe(0);
  });

  const MARK = '[REDACTED:secret:test]';

  test.each<[string, string, ExistingContent, string, string]>([
    ['a mark in a new file', MARK, 'none', 'REDACTED_IN_WRITE', `the content holds ${MARK}`],
    ['a mark over a file without it', MARK, Buffer.from('plain'), 'REDACTED_IN_WRITE', `the content holds ${MARK}`],
    ['a mark over what it stands for', MARK, Buffer.from('SECRET1'), 'REDACTED_IN_WRITE', `the content holds ${MARK}`],
    ['another mark than the file has', '[REDACTED:tag]', Buffer.from(MARK), 'REDACTED_IN_WRITE', 'the content holds [REDACTED:tag]'],
    ['over a secret', 'x', Buffer.from('a SECRET1'), 'OVERWRITE_REFUSED', '1 span is masked or altered there'],
    ['over what is not shown', 'x', Buffer.from('a\u200bb\u200b'), 'OVERWRITE_REFUSED', '2 spans are masked or altered there'],
    ['over bytes that are no text', 'x', Buffer.from([0x61, 0xff]), 'OVERWRITE_REFUSED', '1 span is'],
    ['over what is too large', 'x', 'too-large', 'OVERWRITE_REFUSED', 'is too large to be looked at'],
  ])('refuses, says the way out, and with force does it: %s', async (_, content, existing, code, problem) => {
    const { operations, written } = recorder(existing);
    const call = callTool(writeFileTool, { path: 'a', content }, operations);
    await expect(call).rejects.toMatchObject({ code, sentence: expect.stringContaining(problem) });
    await expect(call).rejects.toMatchObject({ suggestion: expect.stringMatching(existing === 'none' ? /ask the user .*"force"/ : /surgical_edit.*"force"/) });
    expect(written.size).toBe(0);
    await callTool(writeFileTool, { path: 'a', content, force: true }, operations);
    expect([...written]).toEqual([['a', content]]);
  });

  test('what takes too long to look through is not written over', () => {
    const view = () => {
      throw new DevsError('OUTPUT_WITHHELD');
    };
    expect(() => { judgeOverwrite('x', Buffer.from('y'), view); }).toThrow(expect.objectContaining({ code: 'OVERWRITE_REFUSED' }));
  });

  test('a file that is shown as it is, but is not UTF-8, is not made UTF-8 in passing', () => {
    const wide = Buffer.from('ab', 'utf16le');
    const view = (bytes: Uint8Array) => ({ ...fakeView(Buffer.from('')), text: Buffer.from(bytes).toString('utf16le') });
    expect(() => { judgeOverwrite('x', wide, view); }).toThrow(expect.objectContaining({ code: 'OVERWRITE_REFUSED' }));
  });

  test.each([
    ['a mark that the file holds in so many words', `${MARK} and ${MARK}`, `once ${MARK}`],
    ['what only looks like a mark', '[REDACTED]', 'x'],
    ['a file without anything that is not shown', 'new', 'old'],
  ])('is written: %s', async (_, content, existing) => {
    const { operations, written } = recorder(Buffer.from(existing));
    await callTool(writeFileTool, { path: 'a', content }, operations);
    expect([...written]).toEqual([['a', content]]);
  });

  test.each([
    ['no content', { path: 'a' }],
    ['content that is no text', { path: 'a', content: 1 }],
    ['content that is null', { path: 'a', content: null }],
    ['force as text', { path: 'a', content: '', force: 'yes' }],
  ])('refused by its schema: %s', (_, args) => {
    expect(() => argsFor(writeFileTool, args)).toThrow('refused');
  });
});
