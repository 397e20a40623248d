export type { Attack, AttackGroup, Finding } from './attack.ts';
export { attackGroups } from './attack-groups.ts';
export { BEHAVIOURS } from './hostile-family/behaviours.ts';
export { witness } from './hostile-family/witness.ts';
export { SHOWN } from './server-attacks.ts';
export { Stage } from './stage.ts';
export type { StageOptions } from './stage.ts';
