import type { DevsCoreConfig } from '@devs/core';
import { PROTECTED_FILES } from '@devs/sandbox';

/** Files that start programs for the user, and that tools may write here. */
export interface WritableFiles {
  /** Ordinary work edits them, so they are not protected by themselves. */
  readonly ordinary: readonly string[];
  /** The operator has lifted their protection. */
  readonly lifted: readonly string[];
}

export function listWritableFiles({ files }: Pick<DevsCoreConfig, 'files'>): WritableFiles {
  const ordinary = PROTECTED_FILES.filter(({ liftedBy }) => liftedBy === 'everybody').flatMap(({ patterns }) => patterns);
  return { ordinary: ordinary.filter((name) => !files.protected.includes(name)), lifted: files.writable };
}

export function describeWritableFiles({ ordinary, lifted }: WritableFiles): readonly string[] {
  return [
    ...(ordinary.length === 0 ? [] : [`  writable   ${ordinary.join(', ')}`, '  fix        if no task edits them: "files": {"protected": […]}']),
    ...(lifted.length === 0 ? [] : [`  lifted     ${lifted.join(', ')}: "files": {"writable": […]}`]),
  ];
}
