import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { EditedFile, FileEdit, FsRoot } from '@devs/core';
import { surgicalEditTool } from '../surgical-edit/surgical-edit.ts';
import { argsFor, callTool } from './fake-files.ts';
import { applyDiff } from './apply-diff.ts';

/** A file in memory. */
function fileOf(content: string | Uint8Array): { operations: Partial<FsRoot>; read: () => Buffer } {
  let bytes = Buffer.from(content);
  const editFile = async <Edited extends EditedFile>(_: string, edit: FileEdit<Edited>) => {
    const edited = edit(bytes);
    bytes = Buffer.from(edited.content);
    return await Promise.resolve(edited);
  };
  return { operations: { editFile }, read: () => bytes };
}

interface Wish {
  readonly oldText: string;
  readonly newText: string;
  readonly expectedReplacements?: number;
}

async function editText(content: string | Uint8Array, wish: Wish): Promise<{ after: Buffer; blocks: string[] }> {
  const { operations, read } = fileOf(content);
  const blocks = await callTool(surgicalEditTool, { path: 'a.txt', ...wish }, operations);
  return { after: read(), blocks };
}

describe('surgical_edit', () => {
  test.each<[string, string, Wish, string]>([
    ['a word', 'one two three\n', { oldText: 'two', newText: '2' }, 'one 2 three\n'],
    ['to nothing', 'one two\n', { oldText: ' two', newText: '' }, 'one\n'],
    ['several lines', 'a\nb\nc\n', { oldText: 'a\nb\n', newText: 'x' }, 'xc\n'],
    ['the whole file', 'abc', { oldText: 'abc', newText: '' }, ''],
    ['several times', 'a-a-a', { oldText: 'a', newText: 'aa', expectedReplacements: 3 }, 'aa-aa-aa'],
    ['from the left, none over another', 'aaaaa', { oldText: 'aa', newText: 'b', expectedReplacements: 2 }, 'bba'],
    ['what a replacement would take for a sign', 'x', { oldText: 'x', newText: "$&$1$$$`$'\\n" }, "$&$1$$$`$'\\n"],
    ['what a pattern would take for a sign', 'a.c abc', { oldText: 'a.c', newText: '^' }, '^ abc'],
    ['line ends stay as they are', 'a\r\nb\r\n', { oldText: 'b', newText: 'c\n' }, 'a\r\nc\n\r\n'],
    ['a byte order mark stays', '\uFEFFa', { oldText: 'a', newText: 'b' }, '\uFEFFb'],
    ['beyond the first plane', 'x😀y', { oldText: '😀', newText: '😁' }, 'x😁y'],
  ])('replaces exactly: %s', async (_, content, wish, expected) => {
    expect((await editText(content, wish)).after.toString()).toBe(expected);
  });

  test('bytes that are no text stay as they are', async () => {
    const { after } = await editText(Buffer.from([0xff, 0x61, 0x00, 0xc3, 0x28]), { oldText: 'a', newText: 'é' });
    expect([...after]).toEqual([0xff, 0xc3, 0xa9, 0x00, 0xc3, 0x28]);
  });

  test.each<[string, string, Wish, string]>([
    ['not there', 'one two\n', { oldText: 'three', newText: '3' }, 'oldText is not in the file. Read the file again.'],
    ['too often', 'a\na\nb\na\n', { oldText: 'a', newText: 'x' }, 'oldText is in the file 3 times, not once (at line 1, 2, 4). Give more of the text around the right one, or expectedReplacements: 3.'],
    ['too seldom', 'a\n', { oldText: 'a', newText: 'x', expectedReplacements: 2 }, 'oldText is in the file once, not 2 times (at line 1). Give more of the text around the right one, or expectedReplacements: 1.'],
    ['other line ends', 'x\r\na\r\nb\r\n', { oldText: 'a\nb', newText: '' }, 'oldText is not in the file. It is there with other line endings (CRLF or LF), at line 2.'],
    ['other white space', 'x\nif (a) {\n\tb();\n}\n', { oldText: 'if (a) {\n  b();', newText: '' }, 'oldText is not in the file. It is there with other white space, at line 2.'],
    ['only its beginning', 'x\nfunction a() {\n  b();\n}\n', { oldText: 'function a() {\n  c();\n}', newText: '' }, 'oldText is not in the file. Only its first line is there, at line 2.'],
    ['nothing to do', 'a', { oldText: 'a', newText: 'a' }, 'oldText and newText are the same.'],
  ])('refuses and says why: %s', async (_, content, wish, sentence) => {
    const { operations, read } = fileOf(content);
    const call = callTool(surgicalEditTool, { path: 'a', ...wish }, operations);
    await expect(call).rejects.toMatchObject({ code: 'EDIT_REFUSED', sentence: `Nothing was changed: ${sentence}` });
    expect(read().toString()).toBe(content);
  });

  test('no refusal says anything of the file', async () => {
    const secret = `password = ${'hunter'}2`;
    const call = editText(`x\n${secret} \n${secret}\n`, { oldText: 'password', newText: '' });
    await expect(call).rejects.toMatchObject({ sentence: expect.not.stringContaining('hunter') });
  });

  test.each([
    ['old', { oldText: 'x\ud800', newText: '' }],
    ['new', { oldText: 'x', newText: '\udc00' }],
  ])('a lone surrogate is refused: %s', async (_, wish) => {
    await expect(editText('x', wish)).rejects.toMatchObject({ code: 'CONTENT_REFUSED' });
  });

  test('what would grow beyond all bounds is not even put together', async () => {
    const wish = { oldText: 'a', newText: 'b'.repeat(1_000_000), expectedReplacements: 10_000 };
    await expect(editText('a'.repeat(10_000), wish)).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
  });

  test.each([
    ['no text to look for', { path: 'a', oldText: '', newText: '' }],
    ['no new text', { path: 'a', oldText: 'x' }],
    ['zero times', { path: 'a', oldText: 'x', newText: '', expectedReplacements: 0 }],
    ['half a time', { path: 'a', oldText: 'x', newText: '', expectedReplacements: 0.5 }],
    ['another key', { path: 'a', oldText: 'x', newText: '', replaceAll: true }],
  ])('refused by its schema: %s', (_, args) => {
    expect(() => argsFor(surgicalEditTool, args)).toThrow('refused');
  });

  test.each([
    ['what repeats itself, and then does not', 'a'.repeat(2_000_000), `${'a'.repeat(400_000)}b`],
    ['the same from behind', 'a'.repeat(2_000_000), `b${'a'.repeat(400_000)}`],
    ['in twos', 'ab'.repeat(1_000_000), `${'ab'.repeat(200_000)}c`],
    ['white space', ' '.repeat(2_000_000), `x${' '.repeat(400_000)}`],
  ])('hostile texts are searched in linear time: %s', async (_, content, oldText) => {
    await expect(editText(content, { oldText, newText: '' })).rejects.toMatchObject({ code: 'EDIT_REFUSED' });
  });

  test('law: as splitting and joining does it, and the diff leads from the one to the other', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\n', '\r', 'é'), maxLength: 40 });
    const part = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é'), minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(text, part, part, async (content, oldText, newText) => {
        const pieces = content.split(oldText);
        fc.pre(pieces.length > 1 && oldText !== newText);
        const { after, blocks } = await editText(content, { oldText, newText, expectedReplacements: pieces.length - 1 });
        expect(after.toString()).toBe(pieces.join(newText));
        expect(applyDiff(content, blocks[0] ?? '')).toBe(after.toString());
        expect(blocks).toHaveLength(1);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the diff', () => {
  const numbered = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `${String(from + index)}\n`).join('');

  test('is a unified one: what changed, and three lines around it', async () => {
    const { blocks } = await editText(numbered(1, 20), { oldText: '9\n10\n', newText: '9\nten\nmore\n' });
    expect(blocks).toEqual(['--- a.txt\n+++ a.txt\n@@ -7,7 +7,8 @@\n 7\n 8\n 9\n-10\n+ten\n+more\n 11\n 12\n 13\n']);
  });

  test('what lies close together stands in one piece, what lies apart in two', async () => {
    const content = `x\n${numbered(1, 3)}x\n${numbered(4, 12)}x\n`;
    const { blocks } = await editText(content, { oldText: 'x', newText: 'y', expectedReplacements: 3 });
    expect(blocks[0]?.match(/^@@.*$/gm)).toEqual(['@@ -1,8 +1,8 @@', '@@ -12,4 +12,4 @@']);
  });

  test('of long texts, only the lines that differ', async () => {
    const oldText = numbered(1, 400);
    const { blocks } = await editText(oldText, { oldText, newText: oldText.replace('\n2\n', '\ntwo\n').replace('\n399\n', '\n') });
    expect(blocks[0]?.match(/^[-+](?![-+]).*$/gm)).toEqual(['-2', '+two', '-399']);
  });

  test('says where a file does not end with a line feed', async () => {
    const { blocks } = await editText('a\nb', { oldText: 'b', newText: 'c' });
    expect(blocks[0]).toContain('-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n');
  });

  test('a name cannot forge a line of it', async () => {
    const { operations } = fileOf('a');
    const [diff] = await callTool(surgicalEditTool, { path: 'x\n+forged', oldText: 'a', newText: 'b' }, operations);
    expect(diff?.split('\n')[0]).toBe('--- "x\\n+forged"');
  });

  test('a long line is cut around what changed in it', async () => {
    const { blocks } = await editText(`${'é'.repeat(3_000)}OLD${'y'.repeat(3_000)}\n`, { oldText: 'OLD', newText: 'NEW' });
    expect(blocks[0]).toMatch(/^-\[\.\.\.\]é{200}OLDy{797}\[\.\.\.\]$/m);
    expect(blocks[0]).toMatch(/^\+\[\.\.\.\]é{200}NEWy{797}\[\.\.\.\]$/m);
    expect(blocks[1]).toBe('[The edit was made once. Not all of it is shown here: the diff is too long.]');
  });

  test('a place too large to compare is not compared; what comes before it is shown', async () => {
    const wish = { oldText: 'a', newText: 'x\n'.repeat(200_000), expectedReplacements: 1 };
    const notice = '[The edit was made once. Not all of it is shown here: the diff is too long.]';
    expect((await editText('a', wish)).blocks).toEqual(['', notice]);
    const content = `b\n${numbered(1, 9)}${'y'.repeat(200_000)}b`;
    const { blocks } = await editText(content, { oldText: 'b', newText: 'c', expectedReplacements: 2 });
    expect(blocks[0]).toBe('--- a.txt\n+++ a.txt\n@@ -1,4 +1,4 @@\n-b\n+c\n 1\n 2\n 3\n');
  });

  test('of too many lines it is not looked for what they have in common', async () => {
    const lines = (mark: string, count: number) => Array.from({ length: count }, (_, index) => (index % 2 === 0 ? `${mark}\n` : 'same\n')).join('');
    const few = await editText(lines('old', 99), { oldText: lines('old', 99), newText: lines('new', 99) });
    const many = await editText(lines('old', 1_501), { oldText: lines('old', 1_501), newText: lines('new', 1_501) });
    expect([few.blocks[0]?.match(/^ same$/gm)?.length, many.blocks[0]?.match(/^ same$/gm)]).toEqual([49, null]);
  });

  test('comparing lines has one budget, however many places there are: those after it show all their lines', async () => {
    const place = (first: string, last: string) => `${first}\n${'\n'.repeat(998)}${last}`;
    const content = `${place('A', 'B')}\n`.repeat(5);
    const { blocks, after } = await editText(content, { oldText: place('A', 'B'), newText: place('C', 'D'), expectedReplacements: 5 });
    // 2,000,000 pairs: twice 1,000 lines with 1,000.
    expect([blocks[0]?.match(/^-A\n\+C$/gm)?.length, blocks[0]?.match(/^-A\n-$/gm)?.length]).toEqual([2, 3]);
    expect(applyDiff(content, blocks[0] ?? '')).toBe(after.toString());
  });

  test('nor are more than 1,048,576 bytes of all places looked at, though little of them would be shown', async () => {
    const rest = `${'x'.repeat(99)}\n`.repeat(1_000).trimEnd();
    const wish = { oldText: `A\n${rest}`, newText: `C\n${rest}`, expectedReplacements: 20 };
    const { blocks } = await editText(`${wish.oldText}\n`.repeat(20), wish);
    expect(blocks[0]?.match(/^-A\n\+C$/gm)).toHaveLength(5);
    expect(blocks[1]).toContain('Not all of it is shown');
  });

  test.each<[string, string, Wish]>([
    ['1 MB of places that differ at both ends', `A\n${'\n'.repeat(998)}B\n`.repeat(1_000), { oldText: `A\n${'\n'.repeat(998)}B`, newText: `C\n${'\n'.repeat(998)}D`, expectedReplacements: 1_000 }],
    ['a line of 10 MB', `${'a'.repeat(99)}x`.repeat(100_000), { oldText: 'x', newText: 'y', expectedReplacements: 100_000 }],
    ['100,000 lines', 'a\n'.repeat(100_000), { oldText: 'a', newText: 'b', expectedReplacements: 100_000 }],
    ['100,000 places', `a\n${'x\n'.repeat(20)}`.repeat(100_000), { oldText: 'a', newText: 'b', expectedReplacements: 100_000 }],
    ['10 MB of new lines', 'a', { oldText: 'a', newText: 'x\n'.repeat(5_000_000) }],
    ['10 MB of empty lines', '\n'.repeat(10_000_000), { oldText: '\n'.repeat(200_000), newText: 'x', expectedReplacements: 50 }],
    ['2,000 lines that all differ', numbered(1, 2_000), { oldText: numbered(1, 2_000), newText: numbered(3_000, 5_000) }],
  ])('is bounded, and says so: %s', async (_, content, wish) => {
    const { blocks, after } = await editText(content, wish);
    expect(Buffer.byteLength(blocks[0] ?? '')).toBeLessThanOrEqual(51_300);
    if (wish.expectedReplacements !== undefined) expect(blocks[1]).toContain('Not all of it is shown');
    expect(after.length).toBe(Buffer.byteLength(content) + (wish.expectedReplacements ?? 1) * (Buffer.byteLength(wish.newText) - Buffer.byteLength(wish.oldText)));
  });
});
