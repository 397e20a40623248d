import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../files/is-within.ts';

/**
 * A program of the machine. Not one that lies in the project, however it came into `PATH`: what an agent writes must not
 * become what confines it. Undefined when there is none.
 * @param searchPath as `PATH` has it
 */
export function findProgram(name: string, searchPath: string, project: string): string | undefined {
  for (const folder of searchPath.split(path.delimiter)) {
    const program = path.isAbsolute(folder) ? realProgram(path.join(folder, name)) : undefined;
    if (program !== undefined && !isWithin(program, project)) return program;
  }
  return undefined;
}

function realProgram(file: string): string | undefined {
  try {
    const real = realpathSync.native(file);
    accessSync(real, constants.X_OK);
    return statSync(real).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}
