export const ADDRESS = /^[a-z][a-z0-9+.-]{1,30}:\/\//i;

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const FILE = /^[^\s]+\.(?:asc|cer|cert|crt|der|env|gpg|jks|json|key|p12|pem|pfx|pub|txt|ya?ml)$/i;
const HOST = /^\.?(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d{1,5})?$/;

/** Of SSH, with the name of whose it is behind it. */
const PUBLIC_KEY = /^(?:ssh-(?:dss|ed25519|rsa)|ecdsa-sha2-[\w-]{1,32}|sk-(?:ssh|ecdsa)-[\w@.-]{1,64})\s+AAAA/;

/** What is still to be put there, by a shell or a person. */
export function isPlaceholder(value: string): boolean {
  return /^\$(?:\{\w|\(\w|[A-Z_]+$)|^<[A-Za-z ,_-]+>$/.test(value);
}

/** What every output is full of. */
export function isOrdinary(value: string): boolean {
  return isPath(value) || isPlainAddress(value) || PUBLIC_KEY.test(value) || (HOST.test(value) && !looksRandom(value));
}

/** From a folder whose name is a word, or with the ending of a file. One of 64 secrets in base64 begins with a slash, and no word. */
function isPath(value: string): boolean {
  const isNamed = /^(?:~|\.{1,2}|\/(?:[a-z][a-z0-9._-]+|[A-Z][a-z]+))\/|^[A-Za-z]:\\/.test(value) || FILE.test(value);
  return isNamed && !value.split(/[^A-Za-z0-9]+/).some(isMixed);
}

function isMixed(text: string): boolean {
  return text.length >= 10 && /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text);
}

function isPlainAddress(value: string): boolean {
  return ADDRESS.test(value) && !looksRandom(value.replace(ADDRESS, ''));
}

/** Letters and digits that change places more often than words and numbers do. */
export function looksRandom(value: string): boolean {
  if (UUID.test(value)) return true;
  const runs = value.match(/[\w-]{12,}/g) ?? [];
  return runs.some((run) => (run.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0) >= 3);
}
