import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync, type Dirent } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { inFolder } from '../disk-folder.ts';
import { readRawFolder, toRaw, type FolderReading } from '../raw-names.ts';

/** Needs no box, but what boxes are for: elsewhere it says that nothing was checked. */
const onLinux = process.platform === 'linux' ? describe : withBoxes;

/** A disk that says of no entry what it is: Node asks for each by the name that it was asked to give. */
function untyped(): FolderReading {
  const ask = <Name extends string | Buffer>(folder: string, names: readonly Name[]) =>
    names.map((name) => Object.assign(lstatSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name as string)])), { name })) as unknown as Dirent<Name>[];
  return {
    asText: (folder) => ask(folder, readdirSync(folder, 'latin1')) as Dirent[],
    asBytes: (folder) => ask(folder, readdirSync(folder, 'buffer')),
  };
}

onLinux('a folder that is read by raw names', () => {
  it.each<[string, FolderReading | undefined, folders: readonly string[], files: readonly string[]]>([
    ['as the disk says', undefined, ['é', 'plain'], ['file']],
    ['of which the disk does not say what they are', untyped(), ['é', 'plain'], ['file']],
    ['of which another has the name that text would make of it', untyped(), ['é'], [toRaw('é')]],
    ['of which one would have too long a name', untyped(), ['é'.repeat(127)], []],
  ])('has entries %s', (_, reading, folders, files) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'devs-raw-'));
    try {
      for (const name of folders) mkdirSync(path.join(folder, name));
      for (const name of files) writeFileSync(path.join(folder, name), '');
      const found = inFolder(folder, (descriptor) => readRawFolder(descriptor, reading)) ?? [];
      const expected = [...folders.map((name) => `folder ${toRaw(name)}`), ...files.map((name) => `file ${toRaw(name)}`)];
      expect(found.map((entry) => `${entry.isDirectory() ? 'folder' : 'file'} ${entry.name}`).toSorted()).toEqual(expected.toSorted());
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
