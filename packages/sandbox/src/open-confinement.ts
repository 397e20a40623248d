import type { Confinement, SandboxRules } from '@devs/core';
import { BubblewrapConfinement, type Account } from './confinement/bubblewrap-confinement.ts';
import { Unconfined } from './confinement/unconfined.ts';

export interface ConfinementOptions {
  /** Absolute, real: no program from there confines anything. */
  readonly root: string;
  readonly sandbox: Pick<SandboxRules, 'tools' | 'account'>;
  /** Where programs are looked for, as `PATH` has it. */
  readonly searchPath: string;
}

/** What the configuration asks for. Whether it can be had is found out when it is first needed, or by `probe`. */
export function openConfinement({ root, sandbox, searchPath }: ConfinementOptions): Confinement {
  if (sandbox.tools === 'off') return new Unconfined();
  const account = parseAccount(sandbox.account);
  return new BubblewrapConfinement({ root, searchPath, ...(account !== undefined && { account }) });
}

/** `uid:gid`. Undefined where boxes run as devs does: no account is named, or devs is not root and cannot become another. */
export function parseAccount(text: string | null): Account | undefined {
  if (text === null || process.geteuid?.() !== 0) return undefined;
  const [uid = Number.NaN, gid = Number.NaN] = text.split(':').map(Number);
  return { uid, gid };
}
