/** What a server finds in its box as its home. Nothing of the machine lies there. */
export const HOME = '/var/lib/server';
/** In it, for files that live for a moment: they are not memory, as they would be in the box's own /tmp. */
export const TEMPORARY = 'tmp';
