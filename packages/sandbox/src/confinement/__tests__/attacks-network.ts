import { lacking, OPEN_FILTER, perl, together, type Attack } from './attack.ts';
import type { BoxScene } from './box-scene.ts';

/** Servers outside, for boxes to reach: they answer with the scene's secret. */
export interface Listeners {
  /** Of TCP and of UDP on 127.0.0.1. */
  readonly tcp: number;
  readonly udp: number;
  /** The Unix socket's name in the project. */
  readonly socket: string;
}

const SOCKET = 'use Socket;';
const got = ({ out }: { readonly out: string }, { secret }: BoxScene) => out.includes(secret);

const NO_NAMESPACE = () => lacking('--unshare-net');

/** Attacks on what listens outside, and on what needs no network to be reached. */
export function networkAttacks({ tcp, udp, socket }: Listeners): readonly Attack[] {
  return [
    {
      name: 'connects to a server of the machine',
      argv: () => perl(`${SOCKET} socket(my $s, PF_INET, SOCK_STREAM, 0) && connect($s, sockaddr_in(${String(tcp)}, inet_aton("127.0.0.1"))) && print scalar <$s>`),
      succeeded: got,
      guard: '--unshare-net',
      without: NO_NAMESPACE,
    },
    {
      name: 'asks it by UDP',
      argv: () =>
        perl(`${SOCKET} alarm 5; socket(my $s, PF_INET, SOCK_DGRAM, 0) && send($s, "x", 0, sockaddr_in(${String(udp)}, inet_aton("127.0.0.1"))) && recv($s, my $answer, 100, 0); print $answer`),
      succeeded: got,
      guard: '--unshare-net',
      without: NO_NAMESPACE,
    },
    {
      name: 'sees the cards of the machine',
      argv: () => perl('open(my $f, "<", "/proc/net/dev"); print grep(/:/, <$f>) > 1 ? "GOT\\n" : "alone\\n"'),
      guard: '--unshare-net',
      without: NO_NAMESPACE,
    },
    {
      name: 'connects to a Unix socket that lies in the project',
      argv: () => perl(`${SOCKET} socket(my $s, PF_UNIX, SOCK_STREAM, 0) && connect($s, sockaddr_un("${socket}")) && print scalar <$s>`),
      succeeded: got,
      guard: 'the filter lets no Unix socket be made',
      without: () => OPEN_FILTER,
    },
    {
      name: 'connects to a Unix socket without a file',
      argv: ({ secret }) => perl(`${SOCKET} socket(my $s, PF_UNIX, SOCK_STREAM, 0) && connect($s, sockaddr_un("\\0${secret}")) && print scalar <$s>`),
      succeeded: got,
      guard: 'the network namespace, which these belong to, and the filter',
      without: () => together(OPEN_FILTER, lacking('--unshare-net')),
    },
    {
      name: 'has a datagram socket to connect, made as one of a pair',
      argv: () => perl(`${SOCKET} socketpair(my $a, my $b, PF_UNIX, SOCK_DGRAM, 0) and print "GOT\\n"`),
      guard: 'the filter',
      without: () => OPEN_FILTER,
    },
    ...(
      [
        ['vsock, which no namespace fences', 40, 1, 0],
        ['AF_ALG', 38, 5, 0],
        ['netlink of the firewall', 16, 3, 12],
        ['netlink of the audit', 16, 3, 9],
        ['packets', 17, 2, 0],
        ['raw IP', 2, 3, 1],
      ] as const
    ).map(([name, family, type, protocol]): Attack => ({
      name: `makes a socket of ${name}`,
      // EAFNOSUPPORT, EPROTONOSUPPORT and ESOCKTNOSUPPORT are the filter's or the kernel's; EPERM is a namespace's.
      argv: () => perl(`socket(my $s, ${String(family)}, ${String(type)}, ${String(protocol)}) and print "GOT\\n"; print "errno ", $! + 0`),
      succeeded: ({ out }) => /GOT|errno 1$/.test(out),
      guard: 'the filter',
      without: () => OPEN_FILTER,
    })),
  ];
}
