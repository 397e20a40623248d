/**
 * How a stored value stands to the one that came. A mark inside the value could be forged by whoever
 * sends it; this is a member of the header.
 */
export type StoredForm = 'exact' | 'truncated' | 'described';
