import fs from 'node:fs';
import type Database from 'better-sqlite3';
import type { ChainView, Position } from '../heads/chain-view.ts';
import { carriedHeads } from './carried-heads.ts';
import type { ChainStatements } from './chain-transaction.ts';

export interface ChainOfLogParts {
  readonly database: Database.Database;
  readonly statements: ChainStatements;
  /** Path of the log. */
  readonly file: string;
  readonly store: () => string | undefined;
  /** A commit is on the disk when it returns. */
  readonly isFlushed: boolean;
}

/** The chain as whoever signs it sees it: read anew each time, out of the bytes that are hashed. */
export function createChainView({ database, statements, file, store, isFlushed }: ChainOfLogParts): ChainView {
  return {
    get store() {
      return store();
    },
    last: (): Position | undefined => {
      const { seq } = statements.readEnd();
      const leaf = statements.hashAt(seq);
      return leaf === undefined ? undefined : { seq, leaf };
    },
    leafAt: (seq) => statements.hashAt(seq) ?? statements.prevOfFirst(seq + 1),
    carried: () => carriedHeads(database),
    flush: () => {
      if (!isFlushed) flush(`${file}-wal`);
    },
  };
}

/** Closing a descriptor of it drops no lock: in WAL mode SQLite's lie on another file. */
function flush(journal: string): void {
  const descriptor = fs.openSync(journal, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
