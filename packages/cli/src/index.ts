export { compose } from './compose.ts';
export type { Composition, CompositionOptions } from './compose.ts';
export { locateState, prepareState, resolveRoot } from './state/state-folder.ts';
export type { StateEnvironment, StateFolder } from './state/state-folder.ts';
