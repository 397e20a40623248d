import type { KeywordCompiler } from '../evaluation/node.ts';

/** Says something to people; whatever stands there asserts nothing. */
export const annotation: KeywordCompiler = () => undefined;

/** A promise would look like a yes to whoever asks. */
export const refuseAsync: KeywordCompiler = ({ scope }) => scope.refuse('is not supported');

/** Names and addresses are gathered before anything is compiled. */
export const nameText: KeywordCompiler = ({ value, scope }) => (typeof value === 'string' ? undefined : scope.refuse('must be a string'));

/** Only means something in a dialect, and devs knows its own. */
export const vocabulary: KeywordCompiler = () => undefined;
