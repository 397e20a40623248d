import { expect, it } from '@jest/globals';
import type { ConfinedRequest, Confinement } from '@devs/core';
import { Unconfined } from '../../../confinement/unconfined.ts';
import { collect } from '../../../confinement/collect.ts';
import { createEgressProxy } from '../../egress-proxy.ts';
import { NetworkedConfinement } from '../networked-confinement.ts';

const limits = { wallMs: 20_000, outputBytes: 65_536, memoryBytes: 2 ** 31, processes: 64, fileBytes: 65_536, openFiles: 256 };
const request: ConfinedRequest = { argv: ['true'], cwd: '/', env: {}, mounts: [], hosts: ['docs.example'], limits };

/** In the place of the relay, a program of the attacker's, which writes what it likes to the one descriptor that leads out. */
function withRelay(program: string): NetworkedConfinement {
  const inner: Confinement = new Unconfined();
  const instead: Confinement = {
    name: inner.name,
    probe: async () => inner.probe(),
    spawn: async (asked) => inner.spawn({ ...asked, argv: [process.execPath, '-e', program] }),
    exec: async (asked, options) => collect(await instead.spawn(asked), options),
  };
  return new NetworkedConfinement(instead, async (hosts) => Promise.resolve(createEgressProxy({ hosts })));
}

const PREFACE = "Buffer.concat([Buffer.from('PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n'), Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])])";

it.each([
  ['nothing', ''],
  ['what is no HTTP/2', "fs.writeSync(3, 'GET / HTTP/1.1\\r\\n\\r\\n'.repeat(1000));"],
  ['a beginning, and then noise', `fs.writeSync(3, ${PREFACE}); fs.writeSync(3, Buffer.alloc(60000, 0xff));`],
  ['frames that are too long', `fs.writeSync(3, ${PREFACE}); fs.writeSync(3, Buffer.from([0xff, 0xff, 0xff, 1, 4, 0, 0, 0, 1]));`],
  ['resets of what was never there', `fs.writeSync(3, ${PREFACE}); for (let i = 1; i < 2000; i += 2) fs.writeSync(3, Buffer.from([0, 0, 4, 3, 0, 0, 0, i >> 8, i & 255, 0, 0, 0, 8]));`],
  ['an end at once', 'fs.closeSync(3);'],
])('a relay that sends %s harms nobody, and the command ends as it ends', async (_, sends) => {
  const program = `const fs = require('node:fs'); try { ${sends} } catch {} setTimeout(() => process.exit(5), 300);`;
  const outcome = await withRelay(program).exec(request, { signal: new AbortController().signal, keepBytes: 1_000 });
  expect(outcome.exit).toEqual({ kind: 'code', code: 5 });
});

it('reaches no host that is not allowed, over streams that no relay of devs has made', async () => {
  const program = `
    const http2 = require('node:http2'); const net = require('node:net');
    const session = http2.connect('http://devs', { createConnection: () => new net.Socket({ fd: 3 }) });
    const stream = session.request({ ':method': 'POST', ':path': '/' });
    stream.setEncoding('utf8'); stream.on('data', (text) => { process.stdout.write(text); });
    stream.on('close', () => process.exit(0));
    stream.end('CONNECT evil.example:443 HTTP/1.1\\r\\nHost: evil.example:443\\r\\n\\r\\n');
  `;
  const { stdout, exit } = await withRelay(program).exec(request, { signal: new AbortController().signal, keepBytes: 10_000 });
  expect(exit).toEqual({ kind: 'code', code: 0 });
  expect(Buffer.from(stdout.head).toString()).toMatch(/^HTTP\/1\.1 403 /);
});

it('gives a box either a channel or a network', async () => {
  await expect(withRelay('').spawn({ ...request, channel: true })).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
});
