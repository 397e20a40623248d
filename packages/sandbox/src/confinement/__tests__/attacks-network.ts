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
      argv: () => perl(`${SOCKET} socket(S, PF_INET, SOCK_STREAM, 0) && connect(S, sockaddr_in(${String(tcp)}, inet_aton("127.0.0.1"))) && print scalar <S>`),
      succeeded: got,
      guard: '--unshare-net',
      without: NO_NAMESPACE,
    },
    {
      name: 'asks it by UDP',
      argv: () =>
        perl(`${SOCKET} alarm 5; socket(S, PF_INET, SOCK_DGRAM, 0) && send(S, "x", 0, sockaddr_in(${String(udp)}, inet_aton("127.0.0.1"))) && recv(S, $answer, 100, 0); print $answer`),
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
      argv: () => perl(`${SOCKET} socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un("${socket}")) && print scalar <S>`),
      succeeded: got,
      guard: 'the filter lets no Unix socket be made',
      without: () => OPEN_FILTER,
    },
    {
      name: 'connects to a Unix socket without a file',
      argv: ({ secret }) => perl(`${SOCKET} socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un("\\0${secret}")) && print scalar <S>`),
      succeeded: got,
      guard: 'the network namespace, which these belong to, and the filter',
      without: () => together(OPEN_FILTER, lacking('--unshare-net')),
    },
    {
      name: 'has a datagram socket to connect, made as one of a pair',
      argv: () => perl(`${SOCKET} socketpair(A, B, PF_UNIX, SOCK_DGRAM, 0) and print "GOT\\n"`),
      guard: 'the filter',
      without: () => OPEN_FILTER,
    },
    ...(
      [
        ['vsock, which no namespace fences', 40, 1, 0],
        ['netlink, for what the kernel tells of devices', 16, 3, 15],
        ['netlink, for all the rest of the kernel', 16, 3, 16],
        ['packets', 17, 2, 0],
        ['raw IP', 2, 3, 1],
      ] as const
    ).map(([name, family, type, protocol]): Attack => ({
      name: `makes a socket of ${name}`,
      // EAFNOSUPPORT, EPROTONOSUPPORT and ESOCKTNOSUPPORT are the filter's or the kernel's; EPERM is a namespace's.
      argv: () => perl(`socket(S, ${String(family)}, ${String(type)}, ${String(protocol)}) and print "GOT\\n"; print "errno ", $! + 0`),
      succeeded: ({ out }) => /GOT|errno 1$/.test(out),
      guard: 'the filter',
      without: () => OPEN_FILTER,
    })),
  ];
}
