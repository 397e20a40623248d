import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { createTempFolder } from '../../__tests__/fixtures.ts';
import type { ChainView, Position } from '../chain-view.ts';
import { HeadKeeper, type HeadKeeperOptions } from '../head-keeper.ts';
import { toKeyId } from '../public-key.ts';
import type { HeadSigner, SignedHead } from '../signed-head.ts';
import { openSigningKey } from '../signing-key.ts';

export const STORE = 'ab'.repeat(16);

/** A leaf that can be told from others. */
export function leaf(number: number, branch = 0): string {
  return `${branch.toString(16)}${number.toString(16).padStart(63, '0')}`;
}

/** A key in memory. */
export function createSigner(): HeadSigner & { readonly publicKey: KeyObject } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { privateKey, publicKey, id: toKeyId(publicKey) };
}

export interface FakeChain extends ChainView {
  store: string | undefined;
  records: Position[];
  /** What the log says was signed. */
  heads: SignedHead[];
  flush: () => void;
}

/** A chain of `length` records. Another branch has other leaves from `forkedAt` on. */
export function createChain(length: number, { forkedAt = Infinity, store = STORE }: { forkedAt?: number; store?: string | null } = {}): FakeChain {
  const records = Array.from({ length }, (_, index) => ({ seq: index + 1, leaf: leaf(index + 1, index + 1 >= forkedAt ? 1 : 0) }));
  return {
    store: store ?? undefined,
    records,
    heads: [],
    carried() {
      return this.heads;
    },
    last() {
      return this.records.at(-1);
    },
    leafAt(seq) {
      return this.records.find((record) => record.seq === seq)?.leaf;
    },
    flush: () => undefined,
  };
}

export interface HeadPlace extends Disposable {
  readonly path: string;
  readonly log: string;
  readonly keyFile: string;
  /** Of the heads. */
  readonly folder: string;
  readonly problems: string[];
  keeper(change?: Partial<HeadKeeperOptions>): HeadKeeper;
  /** Everything that is remembered, by file name. */
  remembered(): Record<string, string>;
}

/** A log's folder and, apart from it, the folder of the key and the heads. */
export function createHeadPlace(): HeadPlace {
  const temp = createTempFolder();
  const own = path.join(temp.path, 'config', 'devs');
  const [keyFile, folder] = [path.join(own, 'log-signing.key'), path.join(own, 'log-heads')];
  const problems: string[] = [];
  return {
    path: temp.path,
    log: temp.log,
    keyFile,
    folder,
    problems,
    keeper: (change = {}) =>
      new HeadKeeper({
        key: openSigningKey(keyFile),
        folder,
        log: temp.log,
        everyRecords: 1_000,
        everySeconds: 300,
        onProblem: (sentence) => problems.push(sentence),
        ...change,
      }),
    remembered: () =>
      Object.fromEntries(
        fs.existsSync(folder) ? fs.readdirSync(folder).toSorted().map((name) => [name, fs.readFileSync(path.join(folder, name), 'utf8')]) : [],
      ),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  };
}
