import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ALLOW, end, failWith, KILL_PROCESS, whenEqual } from '../seccomp/bpf.ts';
import { createFilter } from '../seccomp/filter.ts';
import { architectureOf, NEWEST_KNOWN_CALL, type Architecture } from '../seccomp/system-calls.ts';
import { runFilter } from './bpf-machine.ts';

const [EPERM, ENOSYS, EPROTONOSUPPORT, EOPNOTSUPP, EAFNOSUPPORT] = [1, 38, 93, 95, 97].map(failWith);

function required(name: string): Architecture {
  const architecture = architectureOf(name);
  if (architecture === undefined) throw new Error(`There is a filter for ${name}.`);
  return architecture;
}

const word = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
const sixWords = fc.array(word, { minLength: 6, maxLength: 6 });
/** Bits above those that the kernel looks at. */
const above = (low: number, high: bigint) => (high << 32n) | BigInt(low >>> 0);

describe.each(['x64', 'arm64'])('the filter of %s', (name) => {
  const architecture = required(name);
  const { audit, numbers, denied, unsupported, modes } = architecture;
  const closed = createFilter(architecture);
  const open = createFilter(architecture, { unixSockets: true });
  const judge = (number: number, args: readonly bigint[] = [], filter = closed) => runFilter(filter, { architecture: audit, number, args });
  const judged = new Set<number>([...Object.values(numbers), ...modes.map(({ number }) => number)]);

  test('says of every number what its table says, whatever the arguments', () => {
    const said = new Map([...denied.map((number) => [number, EPERM] as const), ...unsupported.map((number) => [number, EOPNOTSUPP] as const)]);
    for (let number = 0; number <= NEWEST_KNOWN_CALL + 50; number += 1) {
      if (judged.has(number)) continue;
      const expected = number > NEWEST_KNOWN_CALL ? ENOSYS : (said.get(number) ?? ALLOW);
      expect({ number, action: judge(number, [1n, 2n, 3n, 4n, 5n, 6n]) }).toEqual({ number, action: expected });
    }
  });

  test('has a form that the kernel takes: at most 4096 instructions, every way ends', () => {
    expect(closed.length % 8).toBe(0);
    expect(closed.length / 8).toBeLessThanOrEqual(4_096);
    fc.assert(fc.property(fc.nat(0xffff_ffff), fc.nat(0xffff_ffff), sixWords, (architectureNumber, number, args) => {
      expect([ALLOW, KILL_PROCESS, EPERM, ENOSYS, EPROTONOSUPPORT, EOPNOTSUPP, EAFNOSUPPORT]).toContain(runFilter(closed, { architecture: architectureNumber, number, args }));
    }));
  });

  test('kills what calls by another convention', () => {
    fc.assert(fc.property(fc.nat(0xffff_ffff).filter((each) => each !== audit), fc.nat(500), (other, number) => {
      expect(runFilter(closed, { architecture: other, number, args: [] })).toBe(KILL_PROCESS);
    }));
  });

  test('lets no namespace be made', () => {
    const flags = [7, 17, 25, 26, 27, 28, 29, 30].map((bit) => 1 << bit);
    for (const flag of flags) expect(judge(numbers.clone, [above(flag | 17, 0n)])).toBe(EPERM);
    // As a thread and as a child are made.
    for (const flag of [0x3d_0f00, 17, 0x0100_4111]) expect(judge(numbers.clone, [BigInt(flag)])).toBe(ALLOW);
    expect(judge(numbers.clone3, [1n, 88n])).toBe(ENOSYS);
  });

  test('looks at the half of a word that the kernel looks at', () => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 0xffff_ffffn }), (high) => {
      expect([judge(numbers.ioctl, [0n, above(0x5412, high)]), judge(numbers.ioctl, [0n, above(0x541c, high)])]).toEqual([EPERM, EPERM]);
      expect(judge(numbers.ioctl, [0n, above(0x5401, high)])).toBe(ALLOW);
      expect([judge(numbers.socket, [above(1, high), 1n, 0n]), judge(numbers.socket, [above(40, high), 1n, 0n])]).toEqual([EAFNOSUPPORT, EAFNOSUPPORT]);
    }));
  });

  test('lets no file be made to run as its owner', () => {
    const [O_CREAT, O_TMPFILE] = [0o100, 0o20_200_000];
    for (const { number, mode, flags } of modes) {
      const given = (bits: number, making = O_CREAT) => {
        const args = [0n, 0n, 0n, 0n, 0n, 0n];
        args[mode] = above(bits, 7n);
        if (flags !== undefined) args[flags] = above(making, 7n);
        return judge(number, args);
      };
      expect([given(0o4_755), given(0o104_000), given(0o6_777, O_TMPFILE)]).toEqual([EPERM, EPERM, EPERM]);
      expect([given(0o2_755), given(0o1_777), given(0o100_644)]).toEqual([ALLOW, ALLOW, ALLOW]);
      // What is no mode may be anything.
      expect(given(0o4_755, 0o2)).toBe(flags === undefined ? EPERM : ALLOW);
    }
    expect(modes).toHaveLength(name === 'x64' ? 9 : 5);
    expect(judge(numbers.openat2, [1n, 2n, 3n, 24n])).toBe(ENOSYS);
  });

  test('lets no file be given an access list, by any call that sets or takes an attribute', () => {
    const calls = name === 'x64' ? [188, 189, 190, 197, 198, 199] : [5, 6, 7, 14, 15, 16];
    expect([...calls, 463, 466].map((number) => judge(number, [1n, 2n, 3n, 4n, 0n, 0n]))).toEqual(Array.from({ length: 8 }, () => EOPNOTSUPP));
    // What only asks for them: getxattr and listxattr.
    expect((name === 'x64' ? [191, 194, 464, 465] : [8, 11, 464, 465]).map((number) => judge(number))).toEqual([ALLOW, ALLOW, ALLOW, ALLOW]);
  });

  test('lets the personality be asked for, and not set', () => {
    expect([judge(numbers.personality, [0xffff_ffffn]), judge(numbers.personality, [0n]), judge(numbers.personality, [0x40_0000n])]).toEqual([ALLOW, EPERM, EPERM]);
  });

  const CLOEXEC = 0o2_000_000;
  test.each([
    ['TCP', [2, 1, 6], ALLOW, ALLOW],
    ['TCP over IPv6, closed on exec', [10, 1 | CLOEXEC, 0], ALLOW, ALLOW],
    ['UDP', [2, 2, 17], ALLOW, ALLOW],
    ['MPTCP', [2, 1, 262], ALLOW, ALLOW],
    ['raw IP', [2, 3, 1], EPROTONOSUPPORT, EPROTONOSUPPORT],
    ['SCTP', [2, 1, 132], EPROTONOSUPPORT, EPROTONOSUPPORT],
    ['the addresses of the machine', [16, 3 | CLOEXEC, 0], ALLOW, ALLOW],
    ['the firewall', [16, 3, 12], EPROTONOSUPPORT, EPROTONOSUPPORT],
    ['Unix', [1, 1, 0], EAFNOSUPPORT, ALLOW],
    ['packets', [17, 3, 0], EAFNOSUPPORT, EAFNOSUPPORT],
    ['vsock', [40, 1, 0], EAFNOSUPPORT, EAFNOSUPPORT],
    ['AF_ALG', [38, 5, 0], EAFNOSUPPORT, EAFNOSUPPORT],
  ] as const)('socket: %s', (_, args, action, withUnix) => {
    const words = args.map(BigInt);
    expect([judge(numbers.socket, words), judge(numbers.socket, words, open)]).toEqual([action, withUnix]);
  });

  test.each([
    ['a stream', [1, 1 | CLOEXEC, 0], ALLOW],
    ['packets in order', [1, 5, 0], ALLOW],
    ['datagrams', [1, 2 | CLOEXEC, 0], EPERM],
    ['another family', [2, 1, 0], EAFNOSUPPORT],
  ] as const)('socketpair: %s', (_, args, action) => {
    expect([closed, open].map((filter) => judge(numbers.socketpair, args.map(BigInt), filter))).toEqual([action, action]);
  });
});

test('x32 has the same architecture and other numbers: it is killed', () => {
  const x64 = required('x64');
  for (const number of [0x4000_0000, 0x4000_0027, 0xffff_ffff]) expect(runFilter(createFilter(x64), { architecture: x64.audit, number, args: [] })).toBe(KILL_PROCESS);
});

test('a jump that does not fit is no filter', () => {
  expect(() => whenEqual(1, Array.from({ length: 256 }, () => end(ALLOW)))).toThrow(RangeError);
});

test('a processor that nobody has looked at has no filter', () => {
  expect(['ia32', 'riscv64', 's390x', ''].map(architectureOf)).toEqual([undefined, undefined, undefined, undefined]);
});
