declare const by: unique symbol;

/**
 * A value that only one file can make. The order of the gate is a type: a later step asks for what
 * only the earlier step mints, so raw arguments and dirty results do not compile where made ones are
 * wanted. `scripts/checks/minted.mjs` holds each maker to its one file.
 */
export type Made<Value, Maker extends string> = Value & { readonly [by]: Maker };
