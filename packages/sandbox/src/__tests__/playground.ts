import { expect } from '@jest/globals';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DevsError, type ErrorCode, type TextView } from '@devs/core';

export const SECRET = 'the secret outside';

/** A project folder, and beside it a folder that no tool may ever reach. */
export interface Playground extends Disposable {
  readonly base: string;
  readonly root: string;
  readonly outside: string;
  /** Absolute path of something in the root. */
  at(...names: string[]): string;
}

export function createPlayground(): Playground {
  const base = mkdtempSync(path.join(realpathSync(tmpdir()), 'devs-sandbox-'));
  const root = path.join(base, 'root');
  const outside = path.join(base, 'outside');
  mkdirSync(root);
  mkdirSync(outside);
  chmodSync(base, 0o755);
  writeFileSync(path.join(outside, 'secret.txt'), SECRET);
  return {
    base,
    root,
    outside,
    at: (...names) => path.join(root, ...names),
    [Symbol.dispose]: () => {
      rmSync(base, { recursive: true, force: true });
    },
  };
}

export function signal(): AbortSignal {
  return new AbortController().signal;
}

export function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

/** Shows what is there; of what is behind it, only the places between two bytes of ASCII are known. */
export function plainView(bytes: Uint8Array): TextView {
  return {
    text: new TextDecoder().decode(bytes),
    alterationCount: 0,
    alterationsIn: () => [],
    isEdge: () => true,
    sourceOf: (start, end) => ({ start, end }),
    encode: (plain) => new TextEncoder().encode(plain),
  };
}

/** Everything below a folder, links not followed: `readdir` with `recursive` follows them. */
export function treeOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      if (!entry.isDirectory()) return [entry.name];
      return [entry.name, ...treeOf(path.join(folder, entry.name)).map((name) => `${entry.name}/${name}`)];
    })
    .sort();
}

/** The refusal, which must be ours, of this code, and must not tell where on the host it happened. */
export async function refusalOf(work: Promise<unknown>, code: ErrorCode): Promise<DevsError> {
  const error: unknown = await work.then(
    (value) => new Error(`expected ${code}, but it gave ${JSON.stringify(value)}`),
    (cause: unknown) => cause,
  );
  if (!(error instanceof DevsError)) throw error;
  expect(error.code).toBe(code);
  const ownWords = error.sentence.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
  expect(ownWords).not.toMatch(/devs-sandbox-|\/proc\/|[A-Z]{5,}:/);
  expect(error.sentence.length).toBeLessThan(500);
  return error;
}

/**
 * Bytes of buffers above which a file of gigabytes was held. Far above what one read takes: what is not held any more still
 * counts until it is collected, and when that is, nobody can say.
 */
export const MOST_HELD_BYTES = 512 * 1024 ** 2;
