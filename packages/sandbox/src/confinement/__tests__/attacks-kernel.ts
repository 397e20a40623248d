import { chmodSync } from 'node:fs';
import { createFilter } from '../seccomp/filter.ts';
import { PROFILE } from '../box-profile.ts';
import { changing, lacking, OPEN_FILTER, perl, replaceOnce, replacing, sh, together, type Attack } from './attack.ts';
import type { BoxScene } from './box-scene.ts';
import { CALLS } from './calls.ts';
import { interruptProgram } from './interrupt-program.ts';

const EPERM = 1;
const ENOSYS = 38;
const EOPNOTSUPP = 95;

/** A system call that the filter refuses, with arguments at which the kernel says something else, or does it. */
function refusedCall(name: string, call: number, words: string): Attack {
  const refusal = call === CALLS.clone3 ? ENOSYS : call === CALLS.setxattr ? EOPNOTSUPP : EPERM;
  return {
    name: `calls ${name}`,
    argv: () => perl(`my $b = "\\0" x 256; my $r = syscall(${String(call)}, ${words}); print $r == -1 && $! == ${String(refusal)} ? "refused\\n" : "GOT\\n"`),
    guard: 'the filter',
    without: () => OPEN_FILTER,
  };
}

function plantProgram(scene: BoxScene): Record<string, never> {
  chmodSync(scene.plant('interrupt', ''), 0o755);
  interruptProgram(`${scene.root}/interrupt`);
  return {};
}

const NO_CAPABILITIES = 'it has no capabilities to begin with';
const withCapabilities = () => together(OPEN_FILTER, changing((all) => replaceOnce(replaceOnce(all, ['--cap-drop', 'ALL'], []), ['--disable-userns'], [])));
const allowingUserNamespaces = () => together(OPEN_FILTER, lacking('--disable-userns'));

export const KERNEL_ATTACKS: readonly Attack[] = [
  // PTRACE_TRACEME; the others look at themselves, which everybody may.
  refusedCall('ptrace', CALLS.ptrace, '0, 0, 0, 0'),
  refusedCall('process_vm_readv', CALLS.processVmReadv, '$$, $b, 0, $b, 0, 0'),
  refusedCall('kcmp', CALLS.kcmp, '$$, $$, 0, 0, 0'),
  refusedCall('pidfd_getfd', CALLS.pidfdGetfd, `syscall(${String(CALLS.pidfdOpen)}, $$, 0), 1, 0`),
  refusedCall('io_uring_setup', CALLS.ioUringSetup, '1, $b'),
  refusedCall('add_key', CALLS.addKey, 'my $t = "user", my $n = "devs-escape", my $v = "x", 1, -2'),
  // KEYCTL_GET_KEYRING_ID of the process's own.
  refusedCall('keyctl', CALLS.keyctl, '0, -2, 1'),
  // UFFD_USER_MODE_ONLY.
  refusedCall('userfaultfd', CALLS.userfaultfd, '1'),
  refusedCall('name_to_handle_at', CALLS.nameToHandleAt, '-100, my $p = "/usr", $b, $b, 0'),
  refusedCall('get_mempolicy', CALLS.getMempolicy, '0, 0, 0, 0, 0'),
  refusedCall('vmsplice', CALLS.vmsplice, '1, 0, 0, 0'),
  refusedCall('quotactl', CALLS.quotactl, '-1, 0, 0, 0'),
  // An access list would be `system.posix_acl_default`, which not every disk takes; of no name the kernel itself says ERANGE.
  refusedCall('setxattr', CALLS.setxattr, 'my $p = ".", my $n = "", $b, 28, 0'),
  // Flags, to see them, would have to be read from memory.
  refusedCall('clone3', CALLS.clone3, '0, 0'),
  // READ_IMPLIES_EXEC.
  refusedCall('personality', CALLS.personality, '0x400000'),
  // TIOCSTI, with a bit above those that the kernel looks at.
  refusedCall('ioctl(TIOCSTI)', CALLS.ioctl, '0, 0x100005412, $b'),
  refusedCall('ioctl(TIOCLINUX)', CALLS.ioctl, '0, 0x541c, $b'),
  {
    name: 'leaves a program in the project that runs as whoever devs is',
    argv: () => perl('for (qw(chmod made opened)) { $f = $_; $f eq "chmod" ? (open(F, ">", $f), chmod(04755, $f)) : $f eq "made" ? sysopen(F, $f, 0102, 04755) : sysopen(F, $f, 0101, 06755); -u $f and print "GOT\\n" }'),
    guard: 'the filter',
    without: () => OPEN_FILTER,
  },
  {
    name: 'makes a user namespace',
    argv: () => perl(`syscall(${String(CALLS.unshare)}, 0x10000000) == 0 and print "GOT\\n"; syscall(${String(CALLS.clone)}, 0x10000011, 0, 0, 0, 0) > -1 and print "GOT\\n"`),
    guard: 'the filter and --disable-userns, each of which does',
    without: allowingUserNamespaces,
  },
  {
    name: 'mounts',
    argv: () => sh('mkdir -p /tmp/m && mount -t tmpfs none /tmp/m && echo GOT; umount /proc/irq && echo GOT; mount -o remount,rw,bind / && echo GOT'),
    guard: '--cap-drop ALL, --disable-userns and the filter, each of which does',
    without: withCapabilities,
    doubled: { account: NO_CAPABILITIES, user: NO_CAPABILITIES },
  },
  {
    name: 'mounts in the new way',
    argv: () => perl(`syscall(${String(CALLS.fsopen)}, my $t = "tmpfs", 0) > -1 and print "GOT\\n"; syscall(${String(CALLS.openTree)}, -100, my $p = "/usr", 1) > -1 and print "GOT\\n"`),
    guard: '--cap-drop ALL, --disable-userns and the filter, each of which does',
    without: withCapabilities,
    doubled: { account: NO_CAPABILITIES, user: NO_CAPABILITIES },
  },
  {
    name: 'has capabilities, or may gain them',
    argv: () => sh('grep -E "^Cap(Inh|Prm|Eff|Bnd|Amb)" /proc/self/status | grep -qv "0000000000000000$" && echo GOT; grep -q "^NoNewPrivs:.*0" /proc/self/status && echo GOT'),
    guard: '--cap-drop ALL',
    without: () => replacing(['--cap-drop', 'ALL'], ['--cap-add', 'CAP_NET_RAW']),
  },
  {
    name: 'belongs to the session of devs, and to its terminal',
    argv: () => sh('test "$(cut -d" " -f6 /proc/1/stat)" = 0 && echo GOT'),
    guard: '--new-session',
    without: () => lacking('--new-session'),
  },
  ...(process.arch === 'x64'
    ? [
        {
          name: 'calls with the numbers of x32',
          argv: () => perl(`syscall(0x40000000 + ${String(CALLS.getpid)}); print "GOT\\n"`),
          guard: 'the filter',
          without: () => OPEN_FILTER,
        },
        {
          name: 'calls as 32-bit programs do',
          argv: () => sh('./interrupt; test $? = 7 && echo GOT'),
          request: plantProgram,
          guard: 'the filter',
          without: () => OPEN_FILTER,
        },
      ]
    : []),
  {
    name: 'makes a Unix socket where the filter alone is changed',
    argv: () => perl('use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0) and print "GOT\\n"'),
    guard: 'the filter',
    without: () => ({ profile: { ...PROFILE, createFilter: (architecture) => createFilter(architecture, { unixSockets: true }) } }),
  },
];
