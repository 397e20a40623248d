import { writeFileSync } from 'node:fs';

const HEADER_BYTES = 64;
const SEGMENT_BYTES = 56;
const BASE = 0x40_0000n;

/** exit(7) as a 32-bit program asks for it: mov eax, 1; mov ebx, 7; int 0x80. */
const CODE = Buffer.from('b801000000bb07000000cd80', 'hex');

/** Writes over a file the smallest x64 program that makes one system call by `int 0x80`. */
export function interruptProgram(file: string): void {
  const start = HEADER_BYTES + SEGMENT_BYTES;
  const program = Buffer.alloc(start);
  program.write('\x7fELF\x02\x01\x01', 'latin1');
  program.writeUInt16LE(2, 16); // an executable
  program.writeUInt16LE(62, 18); // x86-64
  program.writeUInt32LE(1, 20);
  program.writeBigUInt64LE(BASE + BigInt(start), 24); // where it begins
  program.writeBigUInt64LE(BigInt(HEADER_BYTES), 32); // where its segments are told
  program.writeUInt16LE(HEADER_BYTES, 52);
  program.writeUInt16LE(SEGMENT_BYTES, 54);
  program.writeUInt16LE(1, 56);
  program.writeUInt32LE(1, HEADER_BYTES); // to be loaded
  program.writeUInt32LE(5, HEADER_BYTES + 4); // read and run
  program.writeBigUInt64LE(BASE, HEADER_BYTES + 16);
  const size = BigInt(start + CODE.length);
  program.writeBigUInt64LE(size, HEADER_BYTES + 32);
  program.writeBigUInt64LE(size, HEADER_BYTES + 40);
  program.writeBigUInt64LE(0x1000n, HEADER_BYTES + 48);
  writeFileSync(file, Buffer.concat([program, CODE]));
}
