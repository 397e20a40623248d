import { execFile } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { createCertificate } from './certificate.ts';
import { httpServer, portOf, PUBLIC, tlsServer, type OpenServer } from './fake-network.ts';

/*
 * What Node takes from the environment it takes when it starts, or from the real one, which jest hides: in a process
 * of its own. Beside the fetch it does what anybody would do without thinking, to show that the environment counts.
 */
const PROGRAM = `
const [modulePath, port, url, address] = process.argv.slice(1);
const { createEgress } = await import(modulePath);
const { connect } = await import('node:net');
const network = { addressesOf: async () => [address], connect: () => connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true }), ownBlocks: () => [] };
const words = (work) => work.then(({ body }) => Buffer.from(body).toString(), ({ sentence }) => sentence);
const own = await words(createEgress({ hosts: ['example.com'], network }).fetch({ url, maxBytes: 100 }, AbortSignal.timeout(20000)));
const client = await import(url.startsWith('https') ? 'node:https' : 'node:http');
const lookup = (_, { all }, done) => all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);
const thoughtless = await new Promise((resolve) => {
  client.get({ host: 'example.com', port: Number(port), lookup }, (answer) => answer.on('data', (data) => resolve(String(data)))).on('error', ({ code }) => resolve(code));
});
process.stdout.write(JSON.stringify({ own, thoughtless }));
process.exit(0);
`;

async function fetchIn(env: Record<string, string>, server: OpenServer, url: string): Promise<unknown> {
  const modulePath = pathToFileURL(path.join(__dirname, '..', 'egress.ts')).href;
  const flags = ['--conditions=devs-source', '--experimental-strip-types', '--no-warnings', '--input-type=module', '--eval', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, modulePath, String(portOf(server)), url, PUBLIC], { env, timeout: 120_000 });
  return JSON.parse(stdout);
}

test('proxies in the environment are not asked', async () => {
  await using proxy = await httpServer((_, answer) => answer.end('by the proxy'));
  await using server = await httpServer((_, answer) => answer.end('by the server'));
  const address = `http://127.0.0.1:${String(portOf(proxy))}`;
  const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: address, http_proxy: address, HTTPS_PROXY: address, ALL_PROXY: address };
  expect(await fetchIn(env, server, 'http://example.com/')).toEqual({ own: 'by the server', thoughtless: 'by the proxy' });
}, 120_000);

test('a certificate is asked for, whatever the environment says', async () => {
  await using server = await tlsServer(createCertificate({ names: ['other.example'] }), (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nby anyone'));
  expect(await fetchIn({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, server, 'https://example.com/')).toEqual({
    own: 'The certificate of the host is not valid for it, so nothing was asked of it.',
    thoughtless: 'by anyone',
  });
}, 120_000);
