/** One instruction of classic BPF, as the kernel's `struct sock_filter` has it. */
export interface Instruction {
  readonly code: number;
  /** Instructions to skip when the comparison holds, and when it does not; 0 to 255. */
  readonly jt: number;
  readonly jf: number;
  /** 32 bits, unsigned. */
  readonly k: number;
}

const LOAD_WORD = 0x20;
const AND = 0x54;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_OR_EQUAL = 0x35;
const RETURN = 0x06;

/** What becomes of a system call. See seccomp(2). */
export const ALLOW = 0x7fff_0000;
export const KILL_PROCESS = 0x8000_0000;

/** The call fails with this error number, and nothing happens. */
export function failWith(errno: number): number {
  return 0x0005_0000 | errno;
}

/** Offsets in `struct seccomp_data`, in bytes. */
export const NUMBER_OFFSET = 0;
export const ARCHITECTURE_OFFSET = 4;

/** Of the lower half of an argument, counted from 0. Both known architectures are little-endian. */
export function argumentOffset(index: number): number {
  return 16 + 8 * index;
}

export function load(offset: number): Instruction {
  return { code: LOAD_WORD, jt: 0, jf: 0, k: offset };
}

export function and(mask: number): Instruction {
  return { code: AND, jt: 0, jf: 0, k: mask };
}

export function end(action: number): Instruction {
  return { code: RETURN, jt: 0, jf: 0, k: action >>> 0 };
}

/** Goes through `body` when the loaded word is `value`, else past it. */
export function whenEqual(value: number, body: readonly Instruction[]): readonly Instruction[] {
  return [{ code: JUMP_EQUAL, jt: 0, jf: reach(body), k: value >>> 0 }, ...body];
}

/** Goes past `body` when the loaded word is `value`. */
export function unlessEqual(value: number, body: readonly Instruction[]): readonly Instruction[] {
  return [{ code: JUMP_EQUAL, jt: reach(body), jf: 0, k: value >>> 0 }, ...body];
}

/** Goes through `body` when the loaded word is `value` or more, unsigned. */
export function whenAtLeast(value: number, body: readonly Instruction[]): readonly Instruction[] {
  return [{ code: JUMP_GREATER_OR_EQUAL, jt: 0, jf: reach(body), k: value >>> 0 }, ...body];
}

/** Goes past `body` when the loaded word is one of these. */
export function unlessOneOf(values: readonly number[], body: readonly Instruction[]): readonly Instruction[] {
  return values.reduceRight<readonly Instruction[]>((inner, value) => unlessEqual(value, inner), body);
}

/** The program as bwrap and the kernel read it: 8 bytes an instruction, little-endian. */
export function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, jt, jf, k }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jt, index * 8 + 2);
    bytes.writeUInt8(jf, index * 8 + 3);
    bytes.writeUInt32LE(k, index * 8 + 4);
  }
  return bytes;
}

/** A jump that does not fit would land elsewhere: in a filter, that is a hole. */
function reach(body: readonly Instruction[]): number {
  if (body.length > 255) throw new RangeError(`A jump over ${String(body.length)} instructions does not fit.`);
  return body.length;
}
