import { DevsError, encodingOf, type EditedFile, type FileEdit, type FsRoot } from '@devs/core';
import { fakeFiles } from './fake-files.ts';

/** Files that are read in windows, written and edited, as a project folder does it. */
export function filesInMemory(contents: Map<string, Buffer>): FsRoot {
  const bytesOf = (path: string) => {
    const bytes = contents.get(path);
    if (bytes === undefined) throw new DevsError('FILE_NOT_FOUND');
    return bytes;
  };
  return fakeFiles({
    readFile: async (path, { offset = 0, limit, margin = 0 }) => {
      const bytes = bytesOf(path);
      const before = Math.min(offset, margin);
      const surroundings = { bytes: bytes.subarray(offset - before, offset + limit + margin), start: before, encoding: encodingOf(bytes) };
      return await Promise.resolve({ bytes: bytes.subarray(offset, offset + limit), surroundings, size: bytes.length, offset, limit });
    },
    writeFile: async (path, { bytes, judge }) => {
      const existing = contents.get(path);
      judge?.(existing ?? 'none');
      contents.set(path, Buffer.from(bytes));
      return await Promise.resolve({ created: existing === undefined });
    },
    editFile: async <Edited extends EditedFile>(path: string, edit: FileEdit<Edited>) => {
      const edited = edit(bytesOf(path));
      contents.set(path, Buffer.from(edited.content));
      return await Promise.resolve(edited);
    },
    searchFiles: async (_, { view, onLine }) => {
      for (const [path, bytes] of contents) {
        view(bytes, path).text.split('\n').every((text, index) => onLine({ path, number: index + 1, text }));
      }
      return await Promise.resolve({ files: contents.size, binary: 0, unreadable: 0, ignored: 0, partial: 0 });
    },
  });
}
