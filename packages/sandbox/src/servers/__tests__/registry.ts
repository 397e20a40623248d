import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A registry of this machine that has one package, whose program is one file. */
export interface Registry extends Disposable {
  readonly port: number;
  readonly url: string;
}

export const PACKAGE = 'devs-small-server';

/** As the public one says: what it does not say this of npm does not keep. */
const HEADERS = new Headers({ 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300', ETag: '"1"' });

/** @param file the program */
export async function openRegistry(file: string): Promise<Registry> {
  const tarball = pack(file);
  const server = createServer(({ url }, answer) => {
    const { port } = server.address() as AddressInfo;
    if (url?.endsWith('.tgz') === true) answer.end(tarball);
    else if (url === `/${PACKAGE}`) answer.setHeaders(HEADERS).end(JSON.stringify(describe(tarball, port)));
    else answer.writeHead(404).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${String(port)}/`,
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function describe(tarball: Buffer, port: number): object {
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const dist = { tarball: `http://127.0.0.1:${String(port)}/${PACKAGE}/-/${PACKAGE}-1.0.0.tgz`, integrity };
  return { name: PACKAGE, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { name: PACKAGE, version: '1.0.0', bin: 'server.mjs', dist } } };
}

function pack(file: string): Buffer {
  const folder = mkdtempSync(path.join(tmpdir(), 'devs-package-'));
  try {
    mkdirSync(path.join(folder, 'package'));
    copyFileSync(file, path.join(folder, 'package/server.mjs'));
    chmodSync(path.join(folder, 'package/server.mjs'), 0o755);
    writeFileSync(path.join(folder, 'package/package.json'), JSON.stringify({ name: PACKAGE, version: '1.0.0', bin: 'server.mjs' }));
    execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: folder });
    return readFileSync(path.join(folder, 'package.tgz'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
