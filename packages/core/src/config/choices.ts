/** What a promise of the log survives: `power` a power cut, `process` a killed process. */
export type Durability = 'power' | 'process';

/**
 * What the log promises: `strict`: no tool with effects runs before its start is durable, and no answer leaves before its
 * record is; `batch`: both may come first.
 */
export type AuditMode = 'strict' | 'batch';

/**
 * How arguments are held against a tool's schema: `strict` takes what fits; `lenient` also takes what fits
 * once texts that spell a number or a boolean, and numbers where a text is wanted, are turned into it.
 */
export type ValidationMode = 'strict' | 'lenient';

/**
 * Which results stand inside a boundary, their boundary tags and triggers redacted (seed 001): those of which the
 * caller asks it, also all of tools labelled `untrusted`, or all.
 */
export type BoundaryPolicy = 'on-request' | 'untrusted' | 'always';

/**
 * What becomes of the structured part of a result whose text stands inside a boundary: `fence` puts a member first that
 * says that it is data, `drop` leaves it out, `keep` passes it as it is, for programs.
 */
export type StructuredPolicy = 'fence' | 'drop' | 'keep';
