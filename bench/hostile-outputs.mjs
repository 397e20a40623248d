// Texts that make careless patterns go over the same place again and again. Each is made `bytes` long, or as near as it can be.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

const fill = (piece) => (bytes) => piece.repeat(Math.ceil(bytes / Buffer.byteLength(piece))).slice(0, bytes);
const dashes = '-'.repeat(5);

/** The same bytes each time, and without any order. */
function noise(bytes) {
  const pieces = [];
  for (let made = 0; made < bytes; made += 32) pieces.push(createHash('sha256').update(String(made)).digest());
  return Buffer.concat(pieces).subarray(0, bytes);
}

export const HOSTILE_OUTPUTS = [
  ['spaces, which are clean', fill(' ')],
  ['boundary tags without an end', fill('<external-content-')],
  ['boundary tags in entities', fill('&lt;/external-content-')],
  ['ESC', fill('\u001b')],
  ['ESC ], never ended', fill('\u001b]')],
  ['ESC [0;', fill('\u001b[0;')],
  ['NUL', fill('\u0000')],
  ['lone surrogates', fill('\ud800')],
  ['0xFF', (bytes) => Buffer.alloc(bytes, 0xff)],
  ['the beginning of a trigger', fill('__o')],
  ['triggers', fill('__OT ')],
  ['tag characters', (bytes) => fill('\u{e0041}')(bytes / 2)],
  ['joiners', (bytes) => fill('\u200d')(bytes / 3)],
  ['combining marks', (bytes) => fill('\u0301')(bytes / 2)],
  ['headers of private keys', fill(`${dashes}BEGIN RSA PRIVATE KEY${dashes}`)],
  ['headers of private keys, a line each', fill(`${dashes}BEGIN RSA PRIVATE KEY${dashes}\n`)],
  ['the beginning of a web token', fill('eyJ-')],
  ['web tokens with no end', fill('eyJhbGciOiJIUzI1NiJ9.')],
  ['passwords in addresses', fill('a://b:c')],
  ['beginnings of keys', fill('sk-')],
  ['JSON of brackets', fill('[')],
  ['a JSON list of escapes', (bytes) => `["${fill('\\u001b')(bytes - 8).slice(0, -((bytes - 8) % 6) || undefined)}"]`],
  ['hidden characters that are written out', fill('a\\u200b')],
  ['bytes without order', noise],
];
