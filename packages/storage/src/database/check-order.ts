/** What a scan meets in a B-tree that is none. SQLite has no code for it: it does not look. */
export class OutOfOrder extends Error {
  readonly code = 'SQLITE_CORRUPT';

  constructor() {
    super('keys of a B-tree are not in their order');
    this.name = 'OutOfOrder';
  }
}

/**
 * To be asked for each key of a scan that must come to an end. SQLite follows the pages as they name each other; where many
 * name the same one, the same keys come again and again, for ever. In a tree each is larger than the one before.
 * @throws OutOfOrder
 */
export function checkOrder<Key extends number | string>(before: Key, key: Key): void {
  if (typeof key !== typeof before || key <= before) throw new OutOfOrder();
}
