import { lacking, perl, sh, together, unlimited, type Attack } from './attack.ts';
import { LIMITS } from './box-scene.ts';
import { CALLS } from './calls.ts';

const NO_GROUPS = { hasGroups: false };
const MIB = 1_048_576;

/** Has this many processes at once, and no more: the attack itself must stay harmless where nothing stops it. */
const FORKS = 60;

export const LIMIT_ATTACKS: readonly Attack[] = [
  {
    name: 'has more processes than it may',
    argv: () => perl(`my @all; for (1..${String(FORKS)}) { my $p = fork; last unless defined $p; unless ($p) { sleep 600 } push @all, $p } print "GOT\\n" if @all == ${String(FORKS)}; kill 9, @all`),
    request: () => ({ limits: { ...LIMITS, processes: 30 } }),
    guard: 'pids.max for root, --nproc for all others',
    without: () => together(unlimited('--nproc'), NO_GROUPS),
    // The kernel does not count root's.
    needsGroups: ['root'],
  },
  {
    name: 'has more memory than all of its processes may',
    argv: () => perl(`for (1..3) { unless (fork) { my $m = "x" x ${String(60 * MIB)}; sleep 1; exit } } my $bad = 0; while (wait > 0) { $bad ||= $? } print $bad ? "killed\\n" : "GOT\\n"`),
    request: () => ({ limits: { ...LIMITS, memoryBytes: 96 * MIB } }),
    guard: 'memory.max',
    without: () => NO_GROUPS,
    needsGroups: ['root', 'account', 'user'],
  },
  {
    name: 'has more memory than a process may',
    argv: () => perl('use constant GIB => 1 << 30; my $m = syscall($ARGV[0], 0, 3 * GIB, 3, 0x22, -1, 0); print "GOT\\n" if $m != -1', String(CALLS.mmap)),
    guard: '--data',
    without: () => unlimited('--data'),
  },
  {
    name: 'fills /tmp, which is memory',
    argv: () => sh('fallocate -l 300M /tmp/file && echo GOT'),
    request: () => ({ limits: { ...LIMITS, fileBytes: 2_147_483_648 } }),
    guard: '--size',
    without: () => lacking('--size', '268435456'),
  },
  {
    name: 'fills /dev/shm, which is memory',
    argv: () => sh('fallocate -l 100M /dev/shm/file && echo GOT'),
    request: () => ({ limits: { ...LIMITS, fileBytes: 2_147_483_648 } }),
    guard: '--size',
    without: () => lacking('--size', '67108864'),
  },
  {
    name: 'writes a larger file than it may',
    argv: () => sh('head -c 3000000 /dev/zero > big; test "$(wc -c < big)" = 3000000 && echo GOT'),
    request: () => ({ limits: { ...LIMITS, fileBytes: MIB } }),
    guard: '--fsize',
    without: () => unlimited('--fsize'),
  },
  {
    name: 'opens more files than it may',
    argv: () => perl('my @f; for (1..150) { open(my $f, "<", "/dev/null") or last; push @f, $f } print "GOT\\n" if @f == 150'),
    request: () => ({ limits: { ...LIMITS, openFiles: 100 } }),
    guard: '--nofile',
    without: () => unlimited('--nofile'),
  },
  {
    name: 'leaves a core, which the machine hands to a program of its own',
    argv: () => sh('ulimit -c unlimited && echo GOT'),
    guard: '--core=0',
    without: () => unlimited('--core'),
  },
  {
    name: 'uses the processor for longer than it may',
    argv: () => sh('test "$(ulimit -Ht)" = unlimited && echo GOT'),
    guard: '--cpu',
    without: () => unlimited('--cpu'),
  },
];
