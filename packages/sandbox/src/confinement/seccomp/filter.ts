import {
  ALLOW,
  and,
  ARCHITECTURE_OFFSET,
  argumentOffset,
  assemble,
  end,
  failWith,
  KILL_PROCESS,
  load,
  NUMBER_OFFSET,
  unlessEqual,
  unlessOneOf,
  whenAtLeast,
  whenEqual,
  type Instruction,
} from './bpf.ts';
import { NEWEST_KNOWN_CALL, type Architecture, type ModeCall } from './system-calls.ts';

const EPERM = failWith(1);
const ENOSYS = failWith(38);
const EAFNOSUPPORT = failWith(97);
const EPROTONOSUPPORT = failWith(93);
/** Not EPERM: programs that copy files give up on that, and go on without what a file system does not have. */
const EOPNOTSUPP = failWith(95);

/** All `CLONE_NEW…` of sched.h: time, mount, cgroup, uts, ipc, user, pid, net. */
const NEW_NAMESPACES = 0x0000_0080 | 0x0002_0000 | 0x0200_0000 | 0x0400_0000 | 0x0800_0000 | 0x1000_0000 | 0x2000_0000 | 0x4000_0000;

/** Put input into a terminal: whoever reads it next is outside. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

/** Asks for the personality instead of setting one. */
const QUERY = 0xffff_ffff;

/** `S_ISUID`: whoever runs the file runs it as its owner, outside too, where that may be root. */
const SET_USER_ID = 0o4_000;
/** `O_CREAT` and `__O_TMPFILE`: without them there is no mode, and anything in its place. */
const MAKES_FILE = 0o100 | 0o20_000_000;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
const SOCK_STREAM = 1;
const SOCK_DGRAM = 2;
const SOCK_SEQPACKET = 5;
/** Of the type of a socket, without the flags beside it. */
const TYPE_MASK = 0x0f;
/** The default of the type, ICMP, TCP, UDP, ICMPv6, and MPTCP, with which some runtimes open TCP: no SCTP, no DCCP. */
const INTERNET_PROTOCOLS = [0, 1, 6, 17, 58, 262];

export interface FilterOptions {
  /** Whether it may make Unix sockets with names. Default false: one in a mounted folder would lead out. */
  readonly unixSockets?: boolean;
}

/**
 * The seccomp filter of a box, as bwrap takes it. It denies what namespaces do not fence (vsock, io_uring, terminals), and
 * what is known to break them.
 */
export function createFilter(architecture: Architecture, { unixSockets = false }: FilterOptions = {}): Buffer {
  const { audit, foreignFrom, numbers, denied, unsupported, modes } = architecture;
  return assemble([
    load(ARCHITECTURE_OFFSET),
    // A 32-bit call (`int 0x80`) has other numbers: the list below would mean other calls.
    ...unlessEqual(audit, [end(KILL_PROCESS)]),
    load(NUMBER_OFFSET),
    ...(foreignFrom === undefined ? [] : whenAtLeast(foreignFrom, [end(KILL_PROCESS)])),
    ...whenAtLeast(NEWEST_KNOWN_CALL + 1, [end(ENOSYS)]),
    ...denied.flatMap((number) => whenEqual(number, [end(EPERM)])),
    ...unsupported.flatMap((number) => whenEqual(number, [end(EOPNOTSUPP)])),
    // Its flags lie in memory, where no filter sees them. The C library falls back to clone.
    ...whenEqual(numbers.clone3, [end(ENOSYS)]),
    // The same; what asks for it goes on without.
    ...whenEqual(numbers.openat2, [end(ENOSYS)]),
    ...modes.flatMap(modeRules),
    ...whenEqual(numbers.clone, [load(argumentOffset(0)), and(NEW_NAMESPACES), ...unlessEqual(0, [end(EPERM)]), end(ALLOW)]),
    // The kernel looks at the lower half alone, so that is what is compared.
    ...whenEqual(numbers.ioctl, [load(argumentOffset(1)), ...whenEqual(TIOCSTI, [end(EPERM)]), ...whenEqual(TIOCLINUX, [end(EPERM)]), end(ALLOW)]),
    ...whenEqual(numbers.personality, [load(argumentOffset(0)), ...unlessEqual(QUERY, [end(EPERM)]), end(ALLOW)]),
    ...whenEqual(numbers.socket, socketRules(unixSockets)),
    ...whenEqual(numbers.socketpair, socketPairRules()),
    end(ALLOW),
  ]);
}

/** No program that runs as its owner: the project lies outside, too, and devs may be root. */
function modeRules({ number, mode, flags }: ModeCall): readonly Instruction[] {
  const unlessMade = flags === undefined ? [] : [load(argumentOffset(flags)), and(MAKES_FILE), ...whenEqual(0, [end(ALLOW)])];
  return whenEqual(number, [...unlessMade, load(argumentOffset(mode)), and(SET_USER_ID), ...unlessEqual(0, [end(EPERM)]), end(ALLOW)]);
}

function socketRules(unixSockets: boolean): readonly Instruction[] {
  const internet = [
    load(argumentOffset(1)),
    and(TYPE_MASK),
    ...unlessOneOf([SOCK_STREAM, SOCK_DGRAM], [end(EPROTONOSUPPORT)]),
    load(argumentOffset(2)),
    ...unlessOneOf(INTERNET_PROTOCOLS, [end(EPROTONOSUPPORT)]),
    end(ALLOW),
  ];
  // What the C library asks for the addresses of the machine. The other protocols speak with half of the kernel.
  const netlink = [load(argumentOffset(2)), ...unlessEqual(NETLINK_ROUTE, [end(EPROTONOSUPPORT)]), end(ALLOW)];
  return [
    load(argumentOffset(0)),
    ...whenEqual(AF_INET, internet),
    ...whenEqual(AF_INET6, internet),
    ...whenEqual(AF_NETLINK, netlink),
    ...(unixSockets ? whenEqual(AF_UNIX, [end(ALLOW)]) : []),
    end(EAFNOSUPPORT),
  ];
}

/** A pair of datagram sockets is not bound to each other: one of them can be connected to any name. */
function socketPairRules(): readonly Instruction[] {
  return [
    load(argumentOffset(0)),
    ...unlessEqual(AF_UNIX, [end(EAFNOSUPPORT)]),
    load(argumentOffset(1)),
    and(TYPE_MASK),
    ...unlessOneOf([SOCK_STREAM, SOCK_SEQPACKET], [end(EPERM)]),
    end(ALLOW),
  ];
}
