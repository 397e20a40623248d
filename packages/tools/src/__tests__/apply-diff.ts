const NO_LINE_FEED = '\\ No newline at end of file';

/** What `patch` makes of a text; throws when the diff does not fit it. */
export function applyDiff(text: string, diff: string): string {
  const before = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const after: string[] = [];
  let next = 0;
  for (const hunk of diff.split(/^(?=@@ )/m).slice(1)) {
    const [, start = '', count = ''] = /^@@ -(\d+),(\d+) \+\d+,\d+ @@\n/.exec(hunk) ?? [];
    const first = Number(start) - (count === '0' ? 0 : 1);
    after.push(...before.slice(next, first));
    next = first;
    for (const { sign, line } of linesOf(hunk)) {
      if (sign !== '+' && before[next] !== line) throw new Error(`line ${String(next + 1)} is not ${JSON.stringify(line)}`);
      if (sign !== '+') next += 1;
      if (sign !== '-') after.push(line);
    }
    if (next - first !== Number(count)) throw new Error('a wrong count');
  }
  return [...after, ...before.slice(next)].join('');
}

function linesOf(hunk: string): { sign: string; line: string }[] {
  const lines = hunk.split('\n').slice(1, -1);
  return lines.flatMap((line, index) => {
    if (line === NO_LINE_FEED) return [];
    return [{ sign: line.charAt(0), line: `${line.slice(1)}${lines[index + 1] === NO_LINE_FEED ? '' : '\n'}` }];
  });
}
