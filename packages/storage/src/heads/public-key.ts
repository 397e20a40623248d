import { createPublicKey, type KeyObject } from 'node:crypto';
import { DevsError } from '@devs/core';

const KEY_BYTES = 32;
const MAX_CHARACTERS = 4_096;

/** How an SPKI of an Ed25519 key begins (RFC 8410); the 32 bytes of the key follow. */
const SPKI_START = Buffer.from('302a300506032b6570032100', 'hex');

/** The 32 bytes of a public key in base64: how heads name it. */
export function toKeyId(publicKey: KeyObject): string {
  return publicKey.export({ type: 'spki', format: 'der' }).subarray(SPKI_START.length).toString('base64');
}

/**
 * A public key as people keep it: PEM, or base64 of its 32 bytes or of its SPKI.
 * @throws DevsError `LOG_QUERY_REFUSED` for anything else, a private key above all
 */
export function readPublicKey(text: string): KeyObject {
  const trimmed = text.trim();
  // Taken, it would make a file that must stay on this machine one that is handed around.
  if (trimmed.includes('PRIVATE KEY')) throw refuse('This is a private key: to verify takes the public one, which `devs logs key` prints.');
  const key = trimmed.length > MAX_CHARACTERS ? undefined : parse(trimmed);
  if (key?.asymmetricKeyType !== 'ed25519') throw refuse('This is no public key of Ed25519, neither as PEM nor as base64 of its 32 bytes.');
  return key;
}

function parse(text: string): KeyObject | undefined {
  try {
    if (text.startsWith('-----BEGIN PUBLIC KEY-----')) return createPublicKey(text);
    const bytes = Buffer.from(text, 'base64');
    if (bytes.toString('base64') !== text) return undefined;
    const der = bytes.length === KEY_BYTES ? Buffer.concat([SPKI_START, bytes]) : bytes;
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

function refuse(sentence: string): DevsError {
  return new DevsError('LOG_QUERY_REFUSED', { sentence });
}
