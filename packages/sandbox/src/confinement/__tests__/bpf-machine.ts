/** A system call, as a filter sees it. */
export interface SystemCall {
  readonly architecture: number;
  readonly number: number;
  /** Each of 64 bits. */
  readonly args: readonly bigint[];
}

/** Runs an assembled filter as the kernel would; throws where the kernel would not have taken it. See linux/seccomp.h. */
export function runFilter(program: Buffer, { architecture, number, args }: SystemCall): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(architecture, 4);
  args.forEach((value, index) => data.writeBigUInt64LE(BigInt.asUintN(64, value), 16 + 8 * index));
  let word = 0;
  for (let at = 0; at < program.length / 8; at += 1) {
    const [code, jt, jf, k] = [program.readUInt16LE(at * 8), program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3), program.readUInt32LE(at * 8 + 4)];
    if (code === 0x20) word = data.readUInt32LE(k);
    else if (code === 0x54) word = (word & k) >>> 0;
    else if (code === 0x15) at += word === k ? jt : jf;
    else if (code === 0x35) at += word >= k ? jt : jf;
    else if (code === 0x06) return k;
    else throw new Error(`No such instruction: ${String(code)}`);
  }
  throw new Error('The filter ends without a word.');
}
