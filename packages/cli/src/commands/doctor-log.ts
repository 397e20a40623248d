import type { DevsCoreConfig } from '@devs/core';
import { measureLog, roomOf } from '@devs/storage';

/** How large the call log is, how much its disk has left, and the limits of both. In bytes. */
export interface JudgedLog {
  readonly bytes: number;
  /** 0: any size. */
  readonly maxBytes: number;
  /** Null: the file system does not say. */
  readonly freeBytes: number | null;
  /** 0: none need be left. */
  readonly minFreeBytes: number;
  /** Whether calls are refused because too little of the disk is free. */
  readonly isDiskLow: boolean;
}

export function judgeLog(file: string, { audit: { maxBytes, minFreeBytes } }: DevsCoreConfig): JudgedLog {
  const use = measureLog(file, 0);
  const isDiskLow = roomOf(use, { maxBytes, minFreeBytes }).ofDisk < 0;
  return { bytes: use.bytes, maxBytes, freeBytes: use.freeBytes ?? null, minFreeBytes, isDiskLow };
}

export function describeLog({ bytes, maxBytes, freeBytes, minFreeBytes, isDiskLow }: JudgedLog): readonly string[] {
  const most = maxBytes === 0 ? 'of any size' : `of at most ${toMiB(maxBytes)}`;
  const least = minFreeBytes === 0 ? 'no minimum' : `calls are refused below ${toMiB(minFreeBytes)}`;
  const free = freeBytes === null ? 'its disk does not report free space' : `${toMiB(freeBytes)} free on its disk`;
  return [
    `Call log      ${toMiB(bytes)} ${most} (audit.maxBytes); ${free}, ${least} (audit.minFreeBytes)`,
    ...(isDiskLow ? ['              Calls are refused now: make room on the disk, or lower audit.minFreeBytes.'] : []),
  ];
}

function toMiB(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(bytes < 10_485_760 ? 1 : 0)} MiB`;
}
