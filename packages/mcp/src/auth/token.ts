import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * 256 random bits, in characters that survive headers, shells and environment files.
 * @example
 * ```ts
 * import { createToken } from '@devs/mcp';
 * console.log(createToken().length); // 43
 * ```
 */
export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * True when the header carries this token. Takes the same time whatever is wrong with it.
 * @example
 * ```ts
 * import { createToken, isAuthorized } from '@devs/mcp';
 * const token = createToken();
 * console.log(isAuthorized(`Bearer ${token}`, token), isAuthorized('Bearer guess', token)); // true false
 * ```
 */
export function isAuthorized(header: string | undefined, token: string): boolean {
  // Digests have one length: the comparison tells nothing of the token's, and cannot throw.
  return timingSafeEqual(digestOf(readBearer(header)), digestOf(token));
}

/** The token in an `Authorization` header; empty when there is none. */
export function readBearer(header: string | undefined): string {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header ?? '')?.[1] ?? '';
}

export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}
