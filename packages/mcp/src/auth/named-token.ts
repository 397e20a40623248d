import { randomBytes } from 'node:crypto';
import type { ScopeRules } from './scope.ts';
import { createToken, digestOf } from './token.ts';

/** What is kept of a token that has a name. The token itself is shown once, and kept nowhere. */
export interface NamedToken {
  readonly name: string;
  /** Public: stands in the token, so that one digest is looked up and not all are tried. */
  readonly id: string;
  /** Of the whole token, hexadecimal. The token has 256 random bits: nobody finds it by trying. */
  readonly sha256: string;
  readonly scope: ScopeRules;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601, UTC. Absent: it does not expire. */
  readonly expiresAt?: string;
}

/** A token as its holder keeps it, `devs_<id>_<secret>`: programs that look for leaked tokens know it by its beginning. */
const FORM = /^devs_([0-9a-f]{12})_[A-Za-z0-9_-]{43}$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export interface MintedToken extends Pick<NamedToken, 'id' | 'sha256'> {
  readonly token: string;
}

export function mintNamedToken(): MintedToken {
  const id = randomBytes(6).toString('hex');
  const token = `devs_${id}_${createToken()}`;
  return { id, token, sha256: digestOf(token).toString('hex') };
}

/** The id in a token; undefined of what has not the form of one. */
export function idOfToken(token: string): string | undefined {
  return FORM.exec(token)?.[1];
}

/** 1 to 64 characters of A-Z a-z 0-9 . _ -, a letter or a digit first: it stands in the log and in what operators read. */
export function isTokenName(name: string): boolean {
  return NAME.test(name);
}
