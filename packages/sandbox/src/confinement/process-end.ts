import { constants } from 'node:os';
import type { ProcessExit } from '@devs/core';

/** Why devs itself has ended a tree, where it has. */
export type Reason = Extract<ProcessExit, { kind: 'limit' | 'cancelled' }>;

/** A shell says it so, and bwrap: a program that ends with such a code by itself cannot be told apart. */
const SIGNAL_BASE = 128;

const SIGNALS: ReadonlyMap<number, string> = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

export function toExit(code: number): ProcessExit {
  const signal = code > SIGNAL_BASE ? SIGNALS.get(code - SIGNAL_BASE) : undefined;
  return signal === undefined ? { kind: 'code', code } : { kind: 'signal', signal };
}

/** The code that bwrap says the command has ended with; undefined when it says that of none: then none was started, or it was killed. */
export function readEndCode(status: string): number | undefined {
  const code = /^\{ "exit-code": (\d{1,3}) \}$/m.exec(status)?.[1];
  return code === undefined ? undefined : Number(code);
}

/** The first process of the box, by the machine's numbers. */
export function readFirstProcess(status: string): number | undefined {
  const pid = /^\{ "child-pid": (\d{1,10})[,\s]/m.exec(status)?.[1];
  return pid === undefined ? undefined : Number(pid);
}
