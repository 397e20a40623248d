import type { IncomingMessage } from 'node:http';
import { DevsError } from '@devs/core';
import { ServerBusy } from '../protocol/live-upstream.ts';

const LONGEST_WAIT_SECONDS = 86_400;

/** Why a server took a request, or did not, in devs's words: what the server says of it may be anything. */
export function toRefusal({ statusCode = 0, headers }: IncomingMessage, now: number): DevsError {
  if (statusCode === 401 || statusCode === 403) {
    const sentence = `The server of this tool refuses devs (HTTP ${statusCode}): the credentials in its headers are missing, or not accepted.`;
    return new DevsError('UPSTREAM_UNAVAILABLE', { sentence, suggestion: 'Go on without it; the operator can set "headers" of the server in the configuration.' });
  }
  if (statusCode === 429 || statusCode === 503) return toBusy(statusCode, readRetryAfter(headers['retry-after'], now));
  if (statusCode >= 300 && statusCode < 400) {
    const sentence = `The server of this tool sends devs to another address (HTTP ${statusCode}), which devs does not follow.`;
    return new DevsError('UPSTREAM_UNAVAILABLE', { sentence, suggestion: 'Go on without it; the operator can write the new address into the configuration.' });
  }
  return new DevsError('UPSTREAM_ANSWER_REFUSED', { sentence: `The server of this tool answered with HTTP ${statusCode}.` });
}

function toBusy(statusCode: number, seconds: number | undefined): DevsError {
  const when = seconds === undefined ? 'later' : `in ${seconds} seconds`;
  return new DevsError('UPSTREAM_UNAVAILABLE', {
    sentence: `The server of this tool takes no calls at the moment (HTTP ${statusCode}) and asks to be called again ${when}.`,
    suggestion: `Call again ${when}.`,
    cause: new ServerBusy(`HTTP ${statusCode}`),
  });
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - now) / 1_000);
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds), LONGEST_WAIT_SECONDS) : undefined;
}
