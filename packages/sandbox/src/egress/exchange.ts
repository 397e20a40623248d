import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { connect as startTls, type SecureContextOptions } from 'node:tls';
import type { Dialer } from './dialer.ts';
import { fetchFailed } from './failure.ts';
import type { Host } from './host.ts';
import { nodeHttp } from './node-http.ts';
import type { Target } from './target.ts';

/** How devs asks. */
export interface AskOptions {
  readonly dialer: Dialer;
  readonly userAgent: string;
  /** Bytes of the headers of an answer. */
  readonly maxHeaderBytes: number;
  /** Certificates of authorities that are trusted. Absent: those of Node. */
  readonly authorities: SecureContextOptions['ca'];
  readonly signal: AbortSignal;
}

/** What is asked for first is what can be read best. */
const ACCEPT = 'text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,*/*;q=0.5';
const ACCEPT_ENCODING = 'gzip, br';

/** Interim answers that are passed over: a server could send them for ever. */
const MOST_INTERIM = 8;

/** One GET over a connection of its own. No cookies, no referrer, no proxy: nothing is sent that is not written here. */
export async function ask(target: Target, options: AskOptions): Promise<IncomingMessage> {
  const { dialer, maxHeaderBytes, authorities, signal } = options;
  const plain = await dialer.dial(target.host, target.port, signal);
  try {
    const socket = target.isSecure ? await secured(plain, { host: target.host, authorities, signal }) : plain;
    const asked = nodeHttp().request({
      // In place of an agent: one would take proxies from the environment, and sockets that others have used.
      createConnection: () => socket,
      method: 'GET',
      path: target.url.pathname + target.url.search,
      headers: {
        Host: target.url.host,
        'User-Agent': options.userAgent,
        Accept: ACCEPT,
        'Accept-Encoding': ACCEPT_ENCODING,
        Connection: 'close',
      },
      maxHeaderSize: maxHeaderBytes,
      insecureHTTPParser: false,
      signal,
    });
    return breakingWith(await answered(asked), socket);
  } catch (error) {
    plain.destroy();
    throw error;
  }
}

/** Without this a body that goes on to the end of the connection would pass for whole where it broke, or was broken off. */
export function breakingWith(answer: IncomingMessage, socket: Socket): IncomingMessage {
  socket.prependListener('error', (error) => answer.destroy(error));
  return answer;
}

interface TlsOptions extends Pick<AskOptions, 'authorities' | 'signal'> {
  readonly host: Host;
}

async function secured(socket: Socket, { host, authorities, signal }: TlsOptions): Promise<Socket> {
  const secure = startTls({
    socket,
    host: host.name,
    // A server name is a name: of an address there is only what its certificate says.
    ...(!host.isAddress && { servername: host.name }),
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    // Said here, it holds whatever NODE_TLS_REJECT_UNAUTHORIZED says.
    rejectUnauthorized: true,
    ...(authorities !== undefined && { ca: authorities }),
  });
  secure.on('error', () => {});
  await once(secure, 'secureConnect', { signal });
  return secure;
}

async function answered(asked: ClientRequest): Promise<IncomingMessage> {
  const answer = Promise.withResolvers<IncomingMessage>();
  let interim = 0;
  asked.on('response', answer.resolve);
  asked.on('error', answer.reject);
  asked.on('information', () => {
    interim += 1;
    if (interim > MOST_INTERIM) asked.destroy(fetchFailed('The host does not come to its answer.'));
  });
  asked.on('upgrade', (_, socket) => {
    socket.destroy();
    answer.reject(fetchFailed('The host wants to speak another protocol.'));
  });
  asked.end();
  return await answer.promise;
}
