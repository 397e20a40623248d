import { DevsError } from '@devs/core';

/** One server that is to run in a box: what its user has written of it. */
export interface ServerOrder {
  /** As the configuration calls it. */
  readonly name: string;
  /** Its private folder, absolute: kept from one run to the next, and made where it is not there. */
  readonly folder: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute: where it would run without a box. */
  readonly cwd: string;
  /** All of what it would get without a box. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What of that its user has written for it, which holds in the box too. */
  readonly ownEnv: Readonly<Record<string, string>>;
  readonly hosts: readonly string[];
  readonly loopbackPorts: readonly number[];
  /** Absolute paths. */
  readonly readOnly: readonly string[];
  readonly readWrite: readonly string[];
}

/** A box that its user has asked for, and that cannot be made so. The server is not started without: a lost folder must not open it. */
export function refuseBox({ name }: Pick<ServerOrder, 'name'>, problem: string, suggestion: string): DevsError {
  return new DevsError('UPSTREAM_UNAVAILABLE', { sentence: `The server ${JSON.stringify(name)} is not started: ${problem}`, suggestion });
}
