import { DevsError, type Egress, type FetchedPage, type FetchPlan } from '@devs/core';
import type { IncomingMessage } from 'node:http';
import type { SecureContextOptions } from 'node:tls';
import { Dialer } from './dialer.ts';
import { ask, type AskOptions } from './exchange.ts';
import { fetchFailed, toFetchFailure } from './failure.ts';
import { HostList } from './host-list.ts';
import type { Network } from './network.ts';
import { readBody } from './page-body.ts';
import { parseTarget, type Target } from './target.ts';

export interface EgressOptions {
  /** As `network.hosts` has them. Empty: every fetch is refused. */
  readonly hosts: readonly string[];
  /** As hosts are told who asks. Default `devs`. */
  readonly userAgent?: string;
  /** Milliseconds for one page, redirects and all. Default 50,000. */
  readonly totalMs?: number;
  /** Bytes of the headers of one answer. Default 32,768. */
  readonly maxHeaderBytes?: number;
  /** Default: that of this machine. */
  readonly network?: Network;
  /** Certificates of authorities that are trusted. Default: those of Node. */
  readonly authorities?: SecureContextOptions['ca'];
}

const MOST_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Type and subtype of RFC 9110; what it says is believed by nobody. */
const MEDIA_TYPE = /^[a-z\d!#$&^_.+-]{1,63}\/[a-z\d!#$&^_.+-]{1,63}$/;
const CHARSET = /;\s{0,8}charset\s{0,8}=\s{0,8}"?([\w.:-]{1,40})/i;

/** The network as tools are given it: pages of the hosts that are allowed, and nothing else. */
export function createEgress(options: EgressOptions): Egress {
  const { hosts, network, userAgent = 'devs', totalMs = 50_000, maxHeaderBytes = 32_768, authorities } = options;
  const dialer = new Dialer({ hosts: new HostList(hosts), ...(network !== undefined && { network }) });
  return {
    async fetch(plan, signal) {
      const deadline = AbortSignal.timeout(totalMs);
      const end = new AbortController();
      const whole = AbortSignal.any([signal, deadline, end.signal]);
      try {
        return await fetchPage(plan, { dialer, userAgent, maxHeaderBytes, authorities, signal: whole });
      } catch (error) {
        signal.throwIfAborted();
        if (deadline.aborted) throw fetchFailed(`The page did not come to its end within ${String(totalMs / 1_000)} seconds.`, error);
        throw toFetchFailure(error);
      } finally {
        // Whatever way it ends: no connection is left behind.
        end.abort();
      }
    },
  };
}

async function fetchPage(plan: FetchPlan, options: AskOptions): Promise<FetchedPage> {
  let target = parseTarget(plan.url);
  let answer = await ask(target, options);
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const next = redirectOf(answer, target);
    if (next === undefined) return await toPage(answer, { target, maxBytes: plan.maxBytes });
    answer.destroy();
    target = next;
    answer = await ask(target, options).catch(sayRedirected);
  }
  throw fetchFailed(`The page redirects more than ${String(MOST_REDIRECTS)} times.`);
}

/** Where to ask next, which is checked like the first: an allowed host may send one anywhere. */
function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage, from: Target): Target | undefined {
  if (!REDIRECTS.has(statusCode) || location === undefined) return undefined;
  const next = parseTarget(location, from.url);
  if (from.isSecure && !next.isSecure) throw fetchFailed('The page redirects from https to http, where anyone on the way could change it.');
  return next;
}

/** An agent that asked for one host must not wonder why it is refused another. */
function sayRedirected(error: unknown): never {
  if (!DevsError.is(error) || error.code !== 'HOST_NOT_ALLOWED') throw error;
  throw new DevsError('HOST_NOT_ALLOWED', { sentence: `The page redirects elsewhere. ${error.sentence}`, cause: error });
}

async function toPage(answer: IncomingMessage, { target, maxBytes }: { readonly target: Target; readonly maxBytes: number }): Promise<FetchedPage> {
  const contentType = answer.headers['content-type'] ?? '';
  const mediaType = contentType.split(';', 1).join('').trim().toLowerCase();
  return {
    url: target.url.href,
    status: answer.statusCode ?? 0,
    mediaType: MEDIA_TYPE.test(mediaType) ? mediaType : '',
    charset: CHARSET.exec(contentType)?.[1],
    ...(await readBody(answer, maxBytes)),
  };
}
