import { expect, it } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, readlinkSync, realpathSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DEFAULT_CONFIG, type MendedLink } from '@devs/core';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { onLinux } from '../../repository/__tests__/planted-scene.ts';
import { BlockedLinks } from '../blocked-links.ts';
import { Playground } from './command-scene.ts';

class Ground implements Disposable {
  readonly root = realpathSync(mkdtempSync(path.join(tmpdir(), 'devs-blocked-')));
  readonly at = (name: string): string => path.join(this.root, name);
  #ids = 0;

  constructor() {
    for (const folder of ['src', 'keys', 'around']) mkdirSync(this.at(folder));
    symlinkSync('keys', this.at('link'));
    symlinkSync('later', this.at('loose'));
  }

  look(entries: readonly string[]): BlockedLinks {
    return new BlockedLinks({ root: this.root, entries, createId: () => `id${String((this.#ids += 1))}` });
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true });
  }
}

/** What is blocked beside others, what a command does, what is moved aside, and what is told of links. */
const ROWS: readonly (readonly [string, (ground: Ground) => void, readonly string[], readonly string[]])[] = [
  ['a name that was missing and leads to the root', ({ at }) => symlinkSync('.', at('secrets')), ['secrets'], []],
  ['one in another spelling', ({ at }) => symlinkSync('src', at('SECRETS')), ['SECRETS'], []],
  ['one that leads to another', ({ at }) => (symlinkSync('src', at('way')), symlinkSync('way', at('secrets'))), ['secrets'], []],
  ['one that leads nowhere yet', ({ at }) => symlinkSync('nowhere', at('secrets')), ['secrets'], []],
  ['a link in the place of the folder around it', ({ at }) => (renameSync(at('around'), at('old')), symlinkSync('.', at('around'))), ['around'], []],
  ['another link in the place of one', ({ at }) => (unlinkSync(at('link')), symlinkSync('src', at('link'))), ['link'], ['link to keys back']],
  ['what a link led to before it was there', ({ at }) => symlinkSync('.', at('later')), ['later'], []],
  ['no link that was there', () => undefined, [], []],
  ['nothing for a link that is gone', ({ at }) => unlinkSync(at('link')), [], ['link to keys back']],
  ['no folder', ({ at }) => mkdirSync(at('secrets')), [], []],
];

onLinux('BlockedLinks moves aside', () => {
  it.each(ROWS)('%s', async (_, command, moved, told) => {
    using ground = new Ground();
    const links = ground.look(['secrets', 'around/secrets', 'link', 'loose']);
    command(ground);
    const mended: MendedLink[] = [];
    expect(await links.mend((link) => mended.push(link))).toEqual(moved.map((name) => ({ path: name, to: `${name}.devs-aside-id1` })));
    expect(mended.map(({ path: name, leadsTo, isBack }) => `${name} to ${leadsTo} ${isBack ? 'back' : 'gone'}`)).toEqual(told);
    for (const name of moved) expect(readlinkSync(ground.at(`${name}.devs-aside-id1`))).toBeDefined();
    expect(readlinkSync(ground.at('link'))).toBe('keys');
    expect(await ground.look(['secrets', 'around/secrets', 'link', 'loose']).mend(() => undefined)).toEqual([]);
  });
});

withBoxes('A command that makes a blocked name a link', () => {
  it.each(['.', 'src'])('to %s does not close that to the next one', async (target) => {
    using ground = new Playground();
    ground.write({ 'project/src/a': 'open' });
    const config = { files: { ...DEFAULT_CONFIG.files, blocked: ['secrets'] } };
    const { outcome } = await ground.run({ argv: ['ln', '-s', target, 'secrets'] }, { config });
    expect(outcome.movedAside).toEqual([{ path: 'secrets', to: expect.stringMatching(/^secrets\.devs-aside-/) }]);
    expect(existsSync(path.join(ground.root, 'secrets'))).toBe(false);
    expect((await ground.run({ argv: ['cat', 'src/a'] }, { config })).stdout).toBe('open');
  });

  it('for another tool does not close that either', async () => {
    using ground = new Playground();
    writeFileSync(path.join(ground.root, 'a'), '');
    const config = { tools: { read_file: { files: { blocked: ['secrets'] } } } };
    const { outcome } = await ground.run({ argv: ['ln', '-s', '.', 'secrets'] }, { config });
    expect(outcome.movedAside).toHaveLength(1);
  });
});
