import { randomUUID } from 'node:crypto';

/** Hexadecimal digits of the 48 bits of milliseconds that a version 7 UUID begins with. */
const TIME_DIGITS = 12;
/** Where the version stands in the text of a UUID; what follows it here is random. */
const AFTER_VERSION = 15;

/**
 * A version 7 UUID (RFC 9562): milliseconds since 1970, then 74 random bits. Ids that come one after the other lie beside
 * each other in an index; random ones touch a page of it each, and a log of a million calls writes that page for every call.
 * It tells when it was made, and so is no secret: what nobody may guess is a `randomUUID`.
 */
export function createCallId(now: () => number = Date.now): string {
  const time = Math.max(0, Math.trunc(now())).toString(16).padStart(TIME_DIGITS, '0').slice(-TIME_DIGITS);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(AFTER_VERSION)}`;
}
