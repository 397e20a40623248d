import { constants } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { DevsError, errnoOf } from '@devs/core';
import { createToken } from '@devs/mcp';
import { writePrivateFile } from './private-file.ts';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const MAX_TOKEN_BYTES = 4_096;

/** What a file holds, in words: what it is called, and what becomes of it when it is made anew. */
interface Kind {
  readonly name: string;
  readonly anew: string;
}

const TOKEN: Kind = { name: 'token', anew: 'delete it to get a new one' };
const KEY: Kind = { name: 'key', anew: 'delete it to get a new one, and replace the old fingerprints in `sanitize.allowedSecrets`' };

/** The key of fingerprints kept in `file`, made at the first start. Throws `STATE_UNUSABLE` when others could know it. */
export async function readOrCreateKey(file: string): Promise<Uint8Array> {
  return new TextEncoder().encode(await readOrCreate(file, KEY));
}

/** The token kept in `file`, made at the first start. Throws `STATE_UNUSABLE` when others could know it. */
export async function readOrCreateToken(file: string): Promise<string> {
  return readOrCreate(file, TOKEN);
}

async function readOrCreate(file: string, kind: Kind): Promise<string> {
  const token = createToken();
  const draft = `${file}.${process.pid}-${token.slice(0, 8)}`;
  try {
    await writePrivateFile(draft, `${token}\n`);
    // In place at once and whole, or not at all: a second server, or the next start, never reads a part.
    await link(draft, file);
    return token;
  } catch (cause) {
    if (errnoOf(cause) === 'EEXIST') return await read(file, kind);
    throw unusable(file, 'cannot be written', cause);
  } finally {
    await rm(draft, { force: true });
  }
}

async function read(file: string, { name, anew }: Kind): Promise<string> {
  await using handle = await open(file, READ).catch((cause: unknown) => {
    throw unusable(file, 'cannot be read', cause);
  });
  const { uid, mode, size } = await handle.stat();
  const isOurs = process.getuid === undefined || uid === process.getuid();
  if (!isOurs || (mode & 0o077) !== 0) throw unusable(file, `can be read by others; ${anew}`);
  if (size > MAX_TOKEN_BYTES) throw unusable(file, `holds no ${name}; ${anew}`);
  const token = (await handle.readFile('utf8')).trim();
  // A short or empty token, from a write that was cut off, would be one to guess.
  if (!/^[A-Za-z0-9_-]{32,}$/.test(token)) throw unusable(file, `holds no ${name}; ${anew}`);
  return token;
}

function unusable(file: string, problem: string, cause?: unknown): DevsError {
  return new DevsError('STATE_UNUSABLE', { sentence: `The file ${JSON.stringify(file)} ${problem}.`, cause });
}
