/** Lines of a markdown text outside code fences, numbered from 1, and the fences themselves. */
export function readMarkdown(text) {
  const lines = [];
  const fences = [];
  let open;
  for (const [index, line] of text.split('\n').entries()) {
    const mark = /^\s*(```+|~~~+)\s*(.*)$/.exec(line);
    if (open === undefined && mark !== null) {
      open = { mark: mark[1], info: mark[2].trim().split(/\s+/), line: index + 2, lines: [] };
    } else if (open !== undefined && mark !== null && mark[1].startsWith(open.mark) && mark[2] === '') {
      fences.push(open);
      open = undefined;
    } else if (open !== undefined) open.lines.push(line);
    else lines.push({ number: index + 1, line });
  }
  return { lines, fences };
}

/** GitHub's anchor for a heading. */
export function anchorOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

export function headingsOf(text) {
  return readMarkdown(text).lines.flatMap(({ number, line }) => {
    const match = /^(#{1,6})\s+(.+?)\s*#*$/.exec(line);
    return match === null ? [] : [{ number, depth: match[1].length, title: match[2] }];
  });
}

/** The lines below a heading, until the next one of its depth or above. */
export function sectionOf(text, title) {
  const headings = headingsOf(text);
  const start = headings.findIndex((heading) => heading.title.toLowerCase() === title.toLowerCase());
  if (start === -1) return undefined;
  const end = headings.slice(start + 1).find(({ depth }) => depth <= headings[start].depth);
  const inside = ({ number }) => number > headings[start].number && number < (end?.number ?? Infinity);
  return readMarkdown(text).lines.filter(inside);
}

/** What stands between single backticks, with its line. */
export function codeSpans(lines) {
  return lines.flatMap(({ number, line }) => [...line.matchAll(/`([^`]+)`/g)].map(([, code]) => ({ number, code })));
}
