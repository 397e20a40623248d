import type { AttackGroup } from './attack.ts';
import { boxAttacks } from './box-attacks.ts';
import { callAttacks } from './call-attacks.ts';
import { configurationAttacks } from './configuration-attacks.ts';
import { homeAttacks } from './home-attacks.ts';
import { httpAttacks } from './http-attacks.ts';
import { messageAttacks } from './message-attacks.ts';
import { outputAttacks } from './output-attacks.ts';
import { serverAttacks } from './server-attacks.ts';
import { upstreamAttacks } from './upstream-attacks.ts';

const BEFORE: readonly AttackGroup[] = [...callAttacks, ...boxAttacks, ...homeAttacks, ...messageAttacks, ...httpAttacks, ...upstreamAttacks];
const BEHIND: readonly AttackGroup[] = [...outputAttacks, ...configurationAttacks];

/** All attacks of the demo, in their order. `isAll` adds the hostile servers that take their time. */
export function attackGroups(isAll: boolean): readonly AttackGroup[] {
  return [...BEFORE, ...serverAttacks(isAll), ...BEHIND];
}
