import path from 'node:path';
import type { Mount } from '@devs/core';
import { PROFILE } from '../box-profile.ts';
import { changing, lacking, perl, replacing, sh, type Attack } from './attack.ts';
import type { BoxScene, Weakened } from './box-scene.ts';

/** The folder beside the project is in the box after all. */
const withOutside = ({ outside }: BoxScene) => replacing(['--remount-ro', '/'], ['--bind', outside, outside, '--remount-ro', '/']);
const NOT_OWNER = 'the file is not the account\'s, and its mode keeps it out';

const secretOf = ({ outside }: BoxScene) => path.join(outside, 'secret');
const readsSecret = ({ out }: { readonly out: string }, { secret }: BoxScene) => out.includes(secret);

/** A repository in the project, mounted as `git` must not change it. */
function repository(scene: BoxScene): { readonly mounts: readonly Mount[] } {
  scene.plant('.git/hooks/');
  scene.give(path.join(scene.root, '.git'));
  scene.plant('.git/config', '[core]\n');
  return { mounts: [{ source: path.join(scene.root, '.git'), access: 'read' }] };
}

function worktree(scene: BoxScene): { readonly mounts: readonly Mount[] } {
  return { mounts: [{ source: scene.plant('.git', 'gitdir: elsewhere\n'), access: 'read' }] };
}

function blocked(scene: BoxScene): { readonly mounts: readonly Mount[] } {
  return { mounts: [{ source: scene.plant('.env', scene.secret), access: 'hidden' }] };
}

function blockedFolder(scene: BoxScene): { readonly mounts: readonly Mount[] } {
  scene.plant('keys/');
  scene.plant('keys/one', scene.secret);
  return { mounts: [{ source: path.join(scene.root, 'keys'), access: 'hidden' }] };
}

/** Everything but the last mount of the call. */
const withoutLastMount = (): Partial<Weakened> => ({
  profile: { ...PROFILE, toArguments: (request, mounts) => PROFILE.toArguments(request, mounts.slice(0, -1)) },
});

export const FILE_ATTACKS: readonly Attack[] = [
  {
    name: 'reads a file beside the project',
    argv: (scene) => sh('cat "$1"', secretOf(scene)),
    succeeded: readsSecret,
    guard: 'only what is mounted is there',
    without: withOutside,
  },
  {
    name: 'writes a file beside the project',
    argv: (scene) => sh('echo x > "$1" && echo GOT', secretOf(scene)),
    guard: 'only what is mounted is there',
    without: withOutside,
  },
  {
    name: 'reads it by way of another process',
    argv: (scene) => sh('for p in /proc/[0-9]*/root /proc/[0-9]*/cwd/.. /proc/self/root /proc/self/fd/[0-9]*/..; do cat "$p$1"; done', secretOf(scene)),
    succeeded: readsSecret,
    guard: 'only what is mounted is there',
    without: withOutside,
  },
  {
    name: 'reads the passwords of the machine',
    argv: () => sh('test -s /etc/shadow && cat /etc/shadow && echo GOT'),
    guard: 'a part of /etc alone is there',
    without: () => replacing(['--remount-ro', '/'], ['--ro-bind', '/etc/shadow', '/etc/shadow', '--remount-ro', '/']),
    doubled: { account: NOT_OWNER, user: NOT_OWNER },
  },
  {
    name: 'writes into the root of the box, which nothing limits',
    argv: () => sh('echo x > /devs-escape && echo GOT'),
    guard: '--remount-ro /',
    without: () => lacking('--remount-ro', '/'),
  },
  {
    name: 'fills /dev, which has no limit of its own',
    argv: () => sh('echo x > /dev/devs-escape && echo GOT'),
    guard: '--remount-ro /dev',
    without: () => lacking('--remount-ro', '/dev'),
  },
  {
    name: 'finds the system\'s programs writable',
    // Asks and does not write: in the control it is the machine's own /usr.
    argv: () => sh('grep -q " /usr rw" /proc/self/mountinfo && echo GOT'),
    guard: '--ro-bind /usr',
    without: () => replacing(['--ro-bind', '/usr', '/usr'], ['--bind', '/usr', '/usr']),
  },
  {
    name: 'opens a setting of the kernel to write it',
    argv: () => perl('for (qw(core_pattern modprobe)) { open(my $f, ">>", "/proc/sys/kernel/$_") and print "GOT\\n" }'),
    guard: '--remount-ro /proc',
    without: () => lacking('--remount-ro', '/proc'),
    doubled: { account: 'kernel settings are root\'s', user: 'kernel settings are root\'s' },
  },
  {
    name: 'writes into the memory of the first process of its box, which no limit holds',
    argv: () => perl('open(my $f, "+<", "/proc/1/mem") and print "GOT\\n"'),
    guard: '--remount-ro /proc',
    without: () => lacking('--remount-ro', '/proc'),
  },
  {
    name: 'reads what the kernel tells root of the machine',
    argv: () => perl('for (qw(cmdline keys key-users timer_list slabinfo kpageflags)) { open(F, "<", "/proc/$_") and read(F, my $x, 8) and print "GOT\\n" }'),
    guard: 'empty files lie over them',
    without: () => changing(unmasked),
  },
  {
    name: 'makes a device',
    argv: () => sh('mknod "$PWD/disk" b 254 0 && cat "$PWD/disk" | head -c 1 && echo GOT; mknod "$PWD/null" c 1 3 && echo x > "$PWD/null" && echo GOT'),
    guard: '--cap-drop ALL',
    without: () => lacking('--cap-drop', 'ALL'),
    doubled: {
      root: 'a user namespace of its own gives no devices, whatever else it gives',
      account: 'it has no capabilities to begin with',
      user: 'it has no capabilities to begin with',
    },
  },
  {
    name: 'plants a hook of git',
    argv: () => sh('echo x > .git/hooks/post-checkout && echo GOT; echo x >> .git/config && echo GOT; echo x > .git/commondir && echo GOT'),
    request: repository,
    guard: 'the mount over .git',
    without: withoutLastMount,
  },
  {
    name: 'takes .git away to put another one in its place',
    argv: () => sh('mv .git .other && echo GOT; rmdir .git/hooks && echo GOT'),
    request: repository,
    guard: 'the mount over .git',
    without: withoutLastMount,
  },
  {
    name: 'makes the .git of a worktree lead elsewhere',
    argv: () => sh('echo "gitdir: /tmp/x" > .git && echo GOT; mv .git .other && echo GOT; ln -f /dev/null .git && echo GOT'),
    request: worktree,
    guard: 'the mount over .git',
    without: withoutLastMount,
  },
  {
    name: 'reads a blocked file',
    argv: () => sh('cat .env; mv .env other; cat other; ln .env second; cat second'),
    request: blocked,
    succeeded: readsSecret,
    guard: 'something empty lies over it',
    without: withoutLastMount,
  },
  {
    name: 'reads a blocked folder, or fills it',
    argv: () => sh('cat keys/one; echo x > keys/two && echo GOT; mv keys other; cat other/one'),
    request: blockedFolder,
    succeeded: (told, scene) => readsSecret(told, scene) || told.out.includes('GOT'),
    guard: 'something empty lies over it',
    without: withoutLastMount,
  },
];

function unmasked(all: readonly string[]): readonly string[] {
  const at = (index: number) => all[index] === '--ro-bind' && all[index + 1] === '/dev/null' && all[index + 2]?.startsWith('/proc/') === true;
  return all.filter((_, index) => !at(index) && !at(index - 1) && !at(index - 2));
}
