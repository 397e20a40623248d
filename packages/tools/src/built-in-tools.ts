import type { ToolRegistration } from '@devs/core';
import { gitCommitTool } from './git-commit/git-commit.ts';
import { listDirectoryTool } from './list-directory/list-directory.ts';
import { readFileTool } from './read-file/read-file.ts';
import { readMoreTool } from './read-more/read-more.ts';
import { runCodeTool } from './run-code/run-code.ts';
import { searchFilesTool } from './search-files/search-files.ts';
import { shellExecTool } from './shell-exec/shell-exec.ts';
import { surgicalEditTool } from './surgical-edit/surgical-edit.ts';
import { webFetchTool } from './web-fetch/web-fetch.ts';
import { writeFileTool } from './write-file/write-file.ts';

/** The tools that devs brings, as they are registered. Order is the order in which they are listed. */
export const builtInTools: readonly ToolRegistration[] = Object.freeze([
  readFileTool,
  writeFileTool,
  surgicalEditTool,
  listDirectoryTool,
  searchFilesTool,
  readMoreTool,
  shellExecTool,
  gitCommitTool,
  webFetchTool,
  runCodeTool,
]);
