export { openFsRoot } from './open-fs-root.ts';
export type { FsRootOptions } from './open-fs-root.ts';
export type { GuardedFsRoot, ToolFiles } from './guarded-fs-root.ts';
export { DEFAULT_PROTECTED_NAMES, TEMPORARY_PREFIX } from './protection.ts';
export type { SweepReport } from './sweep.ts';
export { ToolRunner } from './tool-runner.ts';
export type { FilesByTool } from './tool-runner.ts';
