import { existsSync, lstatSync } from 'node:fs';

/** Folders that are links into /usr on most systems, and folders of their own on the others. */
const MERGED = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'] as const;

/**
 * What programs look up to run at all. Not /etc as a whole: there lie the keys of the machine. Not /etc/ssl either: as root
 * its private keys could be read.
 */
const ETC = [
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'alternatives',
  'ssl/certs',
  'ssl/cert.pem',
  'ssl/openssl.cnf',
  'pki/tls/certs',
  'pki/ca-trust/extracted/pem',
  'ca-certificates',
  'passwd',
  'group',
  'nsswitch.conf',
  'localtime',
  'mime.types',
] as const;

/** What the kernel tells root, even one without privileges, of the whole machine: keys, timers, its command line, what each page of its memory is. */
const TOLD_BY_KERNEL = ['cmdline', 'kcore', 'key-users', 'keys', 'kmsg', 'kpagecgroup', 'kpagecount', 'kpageflags', 'latency_stats', 'pagetypeinfo', 'sched_debug', 'slabinfo', 'timer_list', 'vmallocinfo'] as const;

const TEMPORARY_BYTES = 268_435_456;
const SHARED_MEMORY_BYTES = 67_108_864;

/**
 * The empty machine of a box, as arguments for bwrap: the system's programs, none of its data, a /proc of its own, and
 * folders for temporary files that count as memory. Above it come the mounts of the call.
 */
export function systemArguments(): readonly string[] {
  return [
    '--ro-bind', '/usr', '/usr',
    ...MERGED.flatMap(mergedArguments),
    // The programs of Nix and Guix, all of which may be read by everybody.
    ...['/nix/store', '/gnu/store'].flatMap((folder) => ['--ro-bind-try', folder, folder]),
    '--dir', '/etc', '--dir', '/run', '--dir', '/var',
    ...ETC.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    '--proc', '/proc', '--dev', '/dev',
    ...TOLD_BY_KERNEL.flatMap(maskingArguments),
    '--size', String(SHARED_MEMORY_BYTES), '--tmpfs', '/dev/shm',
    '--perms', '1777', '--size', String(TEMPORARY_BYTES), '--tmpfs', '/tmp',
    '--symlink', '../tmp', '/var/tmp',
  ];
}

/**
 * Closes what bwrap leaves open, after the last mount: the root of the box, the settings of the kernel, which root may
 * write even without privileges, and /dev, whose size nothing limits.
 */
export function closingArguments(): readonly string[] {
  return ['/', '/proc', '/dev'].flatMap((folder) => ['--remount-ro', folder]);
}

function mergedArguments(folder: string): readonly string[] {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  return stats.isSymbolicLink() ? ['--symlink', `usr${folder}`, folder] : ['--ro-bind', folder, folder];
}

function maskingArguments(name: string): readonly string[] {
  const file = `/proc/${name}`;
  return existsSync(file) ? ['--ro-bind', '/dev/null', file] : [];
}
