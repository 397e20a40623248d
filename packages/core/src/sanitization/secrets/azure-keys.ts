import type { Part } from './look.ts';
import { LEFT_EDGE } from './secret-rule.ts';

/** What Microsoft writes into each key that its services give out: 52 units of it stand before this, 26 behind. */
export const AZURE_MARKER = 'JQQJ99';

/** Units, and all of them letters and digits. */
export const SHORTEST_AZURE_KEY = 84;

const KEY = new RegExp(`(?<=(${LEFT_EDGE}[A-Za-z0-9]{52}))${AZURE_MARKER}[A-Za-z0-9]{26}(?![A-Za-z0-9])`, 'y');

/** The key in whose midst this marker stands: of Azure's services, and tokens of Azure DevOps (`AZDO` before their last four units). */
export function azureKey(text: string, at: number): Part | undefined {
  KEY.lastIndex = at;
  const before = KEY.exec(text)?.[1];
  return before === undefined ? undefined : { start: at - before.length, end: KEY.lastIndex };
}
