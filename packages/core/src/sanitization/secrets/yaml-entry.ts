/** `key: "value" # remark` of a line. */
export interface YamlEntry {
  /** Units before the value: indent, key, colon, space, and the quote that it begins with. */
  readonly start: number;
  /** Without the quote that it ends with and the remark. */
  readonly value: string;
}

const KEY = /^\s*[^\s:#][^:\n]{0,256}:[ \t]+["']?/;
/** Undefined for a line that is no entry. Reads it once: one pattern for all of it took cubic time on a row of spaces. */
export function readYamlEntry(line: string): YamlEntry | undefined {
  const start = KEY.exec(line)?.[0].length;
  if (start === undefined) return undefined;
  const rest = line.slice(start);
  // To an editor these end a line: no value goes over one, and no remark does.
  const lastEnd = Math.max(0, ...['\r', '\u2028', '\u2029'].map((each) => rest.lastIndexOf(each)));
  const remark = rest.slice(lastEnd).search(/(?<=\s)#/);
  const value = rest.slice(0, remark === -1 ? undefined : lastEnd + remark).trimEnd().replace(/["']$/, '');
  return /[\r\u2028\u2029]/.test(value) ? undefined : { start, value };
}
