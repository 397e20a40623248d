import { describe, expect, it } from '@jest/globals';
import { parseConfig } from '@devs/core';
import { describeLinkedFiles, listLinkedFiles } from '../commands/doctor-linked.ts';
import { describeWritableFiles, listWritableFiles } from '../commands/doctor-files.ts';
import { describeDoubts } from '../config/doubts.ts';

const listFor = (files: object) => listWritableFiles(parseConfig({ files }));

describe('files that start programs, and that tools may write', () => {
  it('are those that ordinary work edits', () => {
    const list = listFor({});
    expect(list).toMatchObject({ ordinary: expect.arrayContaining(['.pre-commit-config.yaml', 'lefthook.yml', 'mise.toml', '.gitattributes', '.gitmodules']), lifted: [] });
    expect(describeWritableFiles(list).join('\n')).toContain('.pre-commit-config.yaml, lefthook.yml');
  });

  it('are none of those that the operator has protected', () => {
    expect(listFor({ protected: ['mise.toml'] }).ordinary).not.toContain('mise.toml');
  });

  it('and those that the operator has lifted, which each start says too', () => {
    const list = listFor({ writable: ['.vscode'] });
    expect(list.lifted).toEqual(['.vscode']);
    expect(describeWritableFiles(list).join('\n')).toContain('lifted     .vscode');
    expect(describeDoubts(parseConfig({ files: { writable: ['.vscode'] } }))).toEqual([expect.stringContaining('files.writable lets tools write ".vscode"')]);
    expect(describeDoubts(parseConfig({}))).toEqual([]);
  });
});

describe('files with names outside of the project', () => {
  it('are named below the root, with how to have copies', async () => {
    const linked = await listLinkedFiles('/project', async () => ['/project/node_modules/.pnpm']);
    expect(linked).toEqual(['node_modules/.pnpm']);
    expect(describeLinkedFiles(linked).join('\n')).toMatch(/read-only {2}node_modules\/\.pnpm\n.*clone-or-copy/);
  });

  it('are counted beyond eight', () => {
    expect(describeLinkedFiles(Array.from({ length: 10 }, (_, index) => `f${String(index)}`))[1]).toMatch(/f7, and 2 more$/);
  });

  it('are not mentioned where there are none', () => {
    expect(describeLinkedFiles([])).toEqual([]);
  });
});
