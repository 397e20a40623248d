import { printableLine } from './terminal.ts';

export interface TableOptions {
  /** Before each line. Default: nothing. */
  readonly indent?: string;
  /** Numbers of the columns, from 0, whose cells end at the same place. Default: none. */
  readonly rightAligned?: (column: number) => boolean;
}

/** Rows of cells as lines, each column as wide as its widest cell. Nothing of a cell can move the cursor. */
export function toTableLines(rows: readonly (readonly string[])[], { indent = '', rightAligned = () => false }: TableOptions = {}): readonly string[] {
  const printable = rows.map((row) => row.map(printableLine));
  const widths: number[] = [];
  // The last cell of a row may be a sentence: nothing stands behind it, so it needs no width of its own.
  for (const row of printable) for (const [column, cell] of row.entries()) if (column < row.length - 1 || rightAligned(column)) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  const align = (cell: string, column: number) => (rightAligned(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0));
  return printable.map((row) => `${indent}${row.map(align).join('  ')}`.trimEnd());
}
