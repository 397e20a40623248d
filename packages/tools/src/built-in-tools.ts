import type { ToolRegistration } from '@devs/core';
import { listDirectoryTool } from './list-directory/list-directory.ts';
import { readFileTool } from './read-file/read-file.ts';
import { writeFileTool } from './write-file/write-file.ts';

/** The tools that devs brings, as they are registered. Order is the order in which they are listed. */
export const builtInTools: readonly ToolRegistration[] = Object.freeze([
  readFileTool,
  writeFileTool,
  listDirectoryTool,
]);
