import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import path from 'node:path';
import { DevsError } from '@devs/core';
import { createPrivate, preparePrivateFolder, readPrivate, unusable } from './private-file.ts';
import { toKeyId } from './public-key.ts';
import type { HeadSigner } from './signed-head.ts';

/** The key that heads are signed with, and where it lies. */
export interface SigningKey extends HeadSigner {
  /** Absolute path, PKCS#8 in PEM, mode 0600. */
  readonly file: string;
  readonly publicKey: KeyObject;
}

const MAX_KEY_BYTES = 4_096;

/**
 * The key in a file; made, with its folder, when there is none.
 * @throws DevsError `STATE_UNUSABLE` when others could know it, or it is no key: heads of a key made in its place would not fit the old ones
 */
export function openSigningKey(given: string): SigningKey {
  const file = path.resolve(given);
  try {
    preparePrivateFolder(path.dirname(file));
    const known = readSigningKey(file);
    if (known !== undefined) return known;
    // Read back: another process may have been quicker.
    createPrivate(file, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  } catch (cause) {
    if (cause instanceof DevsError) throw cause;
    throw unusable(file, 'cannot be made.', cause);
  }
  const made = readSigningKey(file);
  if (made === undefined) throw unusable(file, 'was removed while devs created it.');
  return made;
}

/** The same without making one. Undefined when there is none. @throws DevsError `STATE_UNUSABLE` */
export function readSigningKey(given: string): SigningKey | undefined {
  const file = path.resolve(given);
  const text = readPrivate(file, MAX_KEY_BYTES);
  if (text === undefined) return undefined;
  const privateKey = parse(text);
  if (privateKey?.asymmetricKeyType !== 'ed25519') {
    throw unusable(file, 'contains no key. Restore the right file, or delete this one to get a new key and run `devs logs adopt`.');
  }
  const publicKey = createPublicKey(privateKey);
  return { file, privateKey, publicKey, id: toKeyId(publicKey) };
}

function parse(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined;
  }
}
