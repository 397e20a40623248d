import { cutWords, describeErrorCode, DevsError, errnoOf, type ErrorCode } from '@devs/core';

/** What an operating system error means to an agent. Codes not listed are left as they are: the gate hides them. */
const CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ['ENOENT', 'FILE_NOT_FOUND'],
  ['ENOTDIR', 'NOT_A_DIRECTORY'],
  ['EISDIR', 'NOT_A_REGULAR_FILE'],
  ['ENXIO', 'NOT_A_REGULAR_FILE'],
  ['ENODEV', 'NOT_A_REGULAR_FILE'],
  ['ELOOP', 'PATH_REFUSED'],
  ['ENAMETOOLONG', 'PATH_REFUSED'],
  ['EACCES', 'PERMISSION_DENIED'],
  ['EPERM', 'PERMISSION_DENIED'],
  ['EROFS', 'PERMISSION_DENIED'],
  ['ENOSPC', 'NO_SPACE'],
  ['EDQUOT', 'NO_SPACE'],
  ['EFBIG', 'NO_SPACE'],
]);

const SHOWN_CHARACTERS = 200;

/** The path as the agent gave it: quoted, escaped, at most 200 characters of it. */
export function quotePath(path: string): string {
  const cut = path.length > SHOWN_CHARACTERS;
  const shown = JSON.stringify(cutWords(path, SHOWN_CHARACTERS));
  return cut ? `${shown.slice(0, -1)}..."` : shown;
}

/**
 * The error as the agent may read it: its code's sentence and the path in the agent's own words. The
 * system's message names host paths, so it only travels as the cause, which the log alone sees.
 */
export function toPathError(error: unknown, path: string): unknown {
  if (error instanceof DevsError) {
    const { sentence } = describeErrorCode(error.code);
    return error.sentence === sentence ? namePath(error.code, path, error) : error;
  }
  const code = CODES.get(errnoOf(error) ?? '');
  return code === undefined ? error : namePath(code, path, { cause: error });
}

function namePath(code: ErrorCode, path: string, { cause, decidedBy }: { readonly cause?: unknown; readonly decidedBy?: string | undefined }): DevsError {
  const { sentence } = describeErrorCode(code);
  return new DevsError(code, { sentence: `${sentence.replace(/\.$/, '')}: ${quotePath(path)}.`, cause, ...(decidedBy !== undefined && { decidedBy }) });
}
