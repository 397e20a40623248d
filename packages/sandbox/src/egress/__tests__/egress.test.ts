import { gzipSync, brotliCompressSync, deflateSync, zstdCompressSync } from 'node:zlib';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { expect, test } from '@jest/globals';
import type { FetchedPage } from '@devs/core';
import { createEgress, type EgressOptions } from '../egress.ts';
import { createCertificate } from './certificate.ts';
import { FakeNetwork, httpServer, OTHER, PUBLIC, PUBLIC_IPV6, tlsServer } from './fake-network.ts';

const network = () => new FakeNetwork().name('example.com', [PUBLIC]).name('www.example.com', [OTHER]);

async function fetchFrom(listener: RequestListener, url = 'http://example.com/page', maxBytes = 100_000): Promise<FetchedPage> {
  await using server = await httpServer(listener);
  const egress = createEgress({ hosts: ['example.com', '*.example.com'], network: network().serve(`${PUBLIC}:80`, server).serve(`${OTHER}:80`, server) });
  return await egress.fetch({ url, maxBytes }, AbortSignal.timeout(20_000));
}

/** What the agent reads of the refusal. */
async function refusalOf(work: Promise<unknown>): Promise<{ code: string; sentence: string }> {
  const { code, sentence } = await work.then(
    () => ({ code: 'none', sentence: 'it was not refused' }),
    (error: { code: string; sentence: string }) => error,
  );
  return { code, sentence };
}

test('a page: where it came from, what it is, all of it', async () => {
  const page = await fetchFrom((_, answer) => answer.writeHead(200, { 'Content-Type': 'Text/HTML; Charset="ISO-8859-1"' }).end('<p>hi'));
  expect(page).toEqual({ url: 'http://example.com/page', status: 200, mediaType: 'text/html', charset: 'ISO-8859-1', body: Buffer.from('<p>hi'), truncated: false });
});

test('what is sent: a GET, the host, who asks; nothing of this machine, and no more of the URL than its path', async () => {
  const seen: { method?: string | undefined; url?: string | undefined; headers?: IncomingHttpHeaders } = {};
  await fetchFrom(({ method, url, headers }, answer) => {
    Object.assign(seen, { method, url, headers });
    answer.end();
  }, 'http://EXAMPLE.com:80/a%20b?c=d#e');
  expect(seen).toEqual({
    method: 'GET',
    url: '/a%20b?c=d',
    headers: {
      host: 'example.com',
      'user-agent': 'devs',
      accept: expect.stringContaining('text/html'),
      'accept-encoding': 'gzip, br',
      connection: 'close',
    },
  });
});

test.each([
  ['none', (bytes: Buffer) => bytes],
  ['identity', (bytes: Buffer) => bytes],
  ['gzip', gzipSync],
  ['X-GZIP', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['zstd', zstdCompressSync],
  ['identity, gzip', gzipSync],
] as const)('content encoding %s', async (encoding, compress) => {
  const text = Buffer.from('words '.repeat(5_000));
  const page = await fetchFrom((_, answer) => answer.writeHead(200, encoding === 'none' ? {} : { 'Content-Encoding': encoding }).end(compress(text)));
  expect([page.body.length, page.truncated]).toEqual([text.length, false]);
  expect(Buffer.compare(page.body, text)).toBe(0);
});

test.each([
  ['gzip, gzip', gzipSync(gzipSync('x'))],
  ['compress', Buffer.from('x')],
  ['constructor', Buffer.from('x')],
  ['gzip', Buffer.from('no gzip at all')],
  ['gzip', gzipSync('words '.repeat(1_000)).subarray(0, 40)],
  ['br', Buffer.from('no brotli at all')],
  ['zstd', Buffer.from('no zstandard at all')],
])('content encoding %s that cannot be undone is a failure, not a page', async (encoding, body) => {
  const refusal = await refusalOf(fetchFrom((_, answer) => answer.writeHead(200, { 'Content-Encoding': encoding }).end(body)));
  expect(refusal).toEqual({ code: 'FETCH_FAILED', sentence: expect.stringMatching(/compressed in a way/) });
});

test.each([
  [0, '', true],
  [9, 'words wor', true],
  [10, 'words word', false],
  [11, 'words word', false],
])('at most %i bytes', async (maxBytes, body, truncated) => {
  const page = await fetchFrom((_, answer) => answer.end('words word'), undefined, maxBytes);
  expect([Buffer.from(page.body).toString(), page.truncated]).toEqual([body, truncated]);
});

test('nothing but a status: no body, compressed or not', async () => {
  expect(await fetchFrom((_, answer) => answer.writeHead(204).end())).toMatchObject({ status: 204, mediaType: '', truncated: false, body: Buffer.alloc(0) });
  expect(await fetchFrom((_, answer) => answer.writeHead(200, { 'Content-Encoding': 'gzip' }).end())).toMatchObject({ body: Buffer.alloc(0) });
});

test('a refusal of the server is a page', async () => {
  expect(await fetchFrom((_, answer) => answer.writeHead(404, { 'Content-Type': 'text/plain' }).end('gone'))).toMatchObject({ status: 404, body: Buffer.from('gone') });
});

test.each([301, 302, 303, 307, 308])('a redirect with %i is followed, and says where the page was', async (status) => {
  const page = await fetchFrom(({ url }, answer) => {
    if (url === '/page') answer.writeHead(status, { Location: '//www.example.com/there?x#y' }).end('not this');
    else answer.end(url);
  });
  expect(page).toMatchObject({ url: 'http://www.example.com/there?x', body: Buffer.from('/there?x') });
});

test.each([
  [300, { Location: '/there' }],
  [304, { Location: '/there' }],
  [302, {}],
])('%i with %j is no redirect', async (status, headers) => {
  expect(await fetchFrom((_, answer) => answer.writeHead(status, headers).end())).toMatchObject({ status, url: 'http://example.com/page' });
});

test('five redirects are followed, six are not', async () => {
  const chain = (length: number) =>
    fetchFrom(({ url = '' }, answer) => {
      const step = Number(url.slice(1));
      if (step < length) answer.writeHead(302, { Location: `/${String(step + 1)}` }).end();
      else answer.end('end');
    }, 'http://example.com/0');
  expect(await chain(5)).toMatchObject({ url: 'http://example.com/5' });
  expect(await refusalOf(chain(6))).toEqual({ code: 'FETCH_FAILED', sentence: 'The page redirects more than 5 times.' });
});

test.each([
  ['as long as no operator has allowed any', [], 'No host is allowed. The operator has to write it into the configuration of devs: "network": {"hosts": ["example.com"]}.'],
  ['one that is not on the list', ['docs.example'], 'The host "example.com" is not allowed. Allowed are: docs.example. The operator adds one by "network": {"hosts": ["example.com"]}.'],
  ['on another port', ['example.com:443'], 'The host "example.com" is not allowed. Allowed are: example.com:443. The operator adds one by "network": {"hosts": ["example.com"]}.'],
  ['with a list that is long', Array.from('abcdefghij', (letter) => `${letter}.example`), 'The host "example.com" is not allowed. Allowed are: a.example, b.example, c.example, d.example, e.example, f.example, g.example, h.example, and more. The operator adds one by "network": {"hosts": ["example.com"]}.'],
])('a host is refused, and not looked up, %s', async (_, hosts, sentence) => {
  const world = network();
  const refusal = await refusalOf(createEgress({ hosts, network: world }).fetch({ url: 'http://example.com/', maxBytes: 1 }, AbortSignal.timeout(20_000)));
  expect(refusal).toEqual({ code: 'HOST_NOT_ALLOWED', sentence });
  expect([world.lookups, world.dialled]).toEqual([[], []]);
});

test.each([
  ['ftp://example.com/', /^Only http and https/],
  ['file:///etc/passwd', /^Only http and https/],
  ['data:text/plain,x', /^Only http and https/],
  ['javascript:1', /^Only http and https/],
  ['http://user@example.com/', /user name or a password/],
  ['http://:secret@example.com/', /user name or a password/],
  ['http://example.com:8080/', /^Only the ports 80 and 443/],
  ['https://example.com:22/', /^Only the ports 80 and 443/],
  ['/page', /cannot be read/],
  ['example.com', /cannot be read/],
  ['http://', /cannot be read/],
  ['http://exa mple.com/', /cannot be read/],
  ['http://1.2.3.4.5/', /cannot be read/],
  ['http://exam!ple.com/', /no host that DNS/],
  [`http://${'a.'.repeat(130)}com/`, /no host that DNS/],
  ['http://example.com/\r\nX-Header: 1', /characters that no URL has/],
  ['http://example.com/\u0000', /characters that no URL has/],
  [`http://example.com/${'a'.repeat(8_192)}`, /longer than 8,192/],
  [`http://example.com/${'\u20ac'.repeat(1_000)}`, /longer than 8,192/],
])('%s is refused before anybody is asked', async (url, sentence) => {
  const world = network();
  const refusal = await refusalOf(createEgress({ hosts: ['*', 'example.com'], network: world }).fetch({ url, maxBytes: 1 }, AbortSignal.timeout(20_000)));
  expect(refusal).toEqual({ code: 'FETCH_FAILED', sentence: expect.stringMatching(sentence) });
  expect([world.lookups, world.dialled]).toEqual([[], []]);
});

const certificate = createCertificate({ names: ['example.com'], addresses: [PUBLIC] });
const wrongName = createCertificate({ names: ['other.example'] });

async function fetchSecurely(url: string, served: typeof certificate, options: Partial<EgressOptions> = {}) {
  const names: unknown[] = [];
  await using server = await tlsServer(served, (socket) => {
    names.push(Reflect.get(socket, 'servername'));
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsafe');
  });
  const world = network().serve(`${PUBLIC}:443`, server).serve(`[${PUBLIC_IPV6}]:443`, server);
  const egress = createEgress({ hosts: ['example.com', PUBLIC], network: world, authorities: [certificate.cert, wrongName.cert], ...options });
  const page = await egress.fetch({ url, maxBytes: 100 }, AbortSignal.timeout(20_000));
  return { page, names };
}

test('over TLS: for a name its certificate and the name in the greeting, for an address its certificate', async () => {
  expect(await fetchSecurely('https://example.com/', certificate)).toMatchObject({ page: { body: Buffer.from('safe') }, names: ['example.com'] });
  expect(await fetchSecurely('https://example.com./', certificate)).toMatchObject({ names: ['example.com'] });
  expect(await fetchSecurely(`https://${PUBLIC}/`, certificate)).toMatchObject({ page: { body: Buffer.from('safe') }, names: [false] });
});

test.each([
  ['that is for another name', 'https://example.com/', wrongName, {}],
  ['that is for another address', `https://${PUBLIC}/`, wrongName, {}],
  ['that nobody vouches for', 'https://example.com/', certificate, { authorities: undefined }],
])('a certificate %s: nothing is asked', async (_, url, served, { authorities = [wrongName.cert] }: { authorities?: string[] | undefined } = {}) => {
  const refusal = await refusalOf(fetchSecurely(url, served, { authorities }));
  expect(refusal).toEqual({ code: 'FETCH_FAILED', sentence: 'The certificate of the host is not valid for it, so nothing was asked of it.' });
});

test('the caller goes away: its reason, and no connection is left', async () => {
  await using server = await httpServer(() => {});
  const world = network().serve(`${PUBLIC}:80`, server);
  const caller = new AbortController();
  const reason = new Error('the caller is gone');
  server.on('request', () => {
    caller.abort(reason);
  });
  await expect(createEgress({ hosts: ['example.com'], network: world }).fetch({ url: 'http://example.com/', maxBytes: 1 }, caller.signal)).rejects.toBe(reason);
  expect(world.sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
});

test.each([
  ['a name that nobody has', network(), 'http://no.example.com/', 'The name of the host cannot be resolved.'],
  ['a name without an address', new FakeNetwork().name('example.com', []), 'http://example.com/', 'The name of the host cannot be resolved.'],
  ['a host that is not there', network(), 'http://example.com/', 'No connection to the host could be made.'],
])('%s', async (_, world, url, sentence) => {
  const refusal = await refusalOf(createEgress({ hosts: ['example.com', '*.example.com'], network: world }).fetch({ url, maxBytes: 1 }, AbortSignal.timeout(20_000)));
  expect(refusal).toEqual({ code: 'FETCH_FAILED', sentence });
});

test('the first address that takes a connection', async () => {
  await using server = await httpServer((_, answer) => answer.end('here'));
  const world = new FakeNetwork().name('example.com', [PUBLIC_IPV6, OTHER, PUBLIC]).serve(`${PUBLIC}:80`, server);
  const page = await createEgress({ hosts: ['example.com'], network: world }).fetch({ url: 'http://example.com/', maxBytes: 100 }, AbortSignal.timeout(20_000));
  expect([Buffer.from(page.body).toString(), world.dialled]).toEqual(['here', [`${PUBLIC_IPV6}:80`, `${OTHER}:80`, `${PUBLIC}:80`]]);
});
