import { existsSync, lchownSync, lstatSync, mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Mount } from '@devs/core';
import type { Account } from '../confinement/bubblewrap-confinement.ts';
import { HOME, TEMPORARY } from './box-places.ts';
import { refuseBox, type ServerOrder } from './server-order.ts';

/** Names are looked up in it: a box has none of the machine's. */
const HOSTS = '127.0.0.1 localhost\n';
const PARTS = Object.freeze({ home: 'home', hosts: 'hosts' });

/** What is a server's own in its box. The folder around it is not: none of it can be put in the place of another. */
export function privateMounts({ folder }: ServerOrder): readonly Mount[] {
  return [
    { source: path.join(folder, PARTS.home), target: HOME, access: 'write', pinned: true },
    { source: path.join(folder, PARTS.hosts), target: '/etc/hosts', access: 'read', pinned: true },
  ];
}

/** Makes what is not there yet. @throws DevsError UPSTREAM_UNAVAILABLE: something else is in its place */
export function makePrivateParts(order: ServerOrder, account: Account | undefined): void {
  // bwrap looks for what it mounts as the account, which must come through; what is to be kept from others lies within.
  mkdirSync(order.folder, { recursive: true, mode: account === undefined ? 0o700 : 0o711 });
  requireFolder(order.folder, order);
  const home = path.join(order.folder, PARTS.home);
  const temporary = path.join(home, TEMPORARY);
  for (const folder of [home, temporary]) {
    // What lies within was the server's to write: a link there would have a folder made elsewhere. It is taken away.
    if (folder === temporary) removeOther(folder);
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    requireFolder(folder, order);
    // Never what a link leads to: another instance of the server runs, and could put one there now.
    if (account !== undefined) lchownSync(folder, account.uid, account.gid);
  }
  const hosts = path.join(order.folder, PARTS.hosts);
  if (!existsSync(hosts)) writeFileSync(hosts, HOSTS, { mode: 0o644 });
}

/** Never what a link leads to. Its own folder is writable to the server, so it would lock itself out for ever. */
function removeOther(folder: string): void {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isDirectory()) unlinkSync(folder);
}

function requireFolder(folder: string, order: ServerOrder): void {
  if (lstatSync(folder).isDirectory()) return;
  throw refuseBox(order, `${JSON.stringify(folder)}, which is its own, is not a folder any more.`, 'Look at what it leads to, and remove it.');
}
