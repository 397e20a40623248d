import path from 'node:path';
import { anchorOf, headingsOf, readMarkdown } from './markdown.mjs';
import { finding } from './source.mjs';

const link = /!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|^\s*\[[^\]]+\]:\s*<?(\S+?)>?\s*$/g;

function linksOf(text) {
  const { lines } = readMarkdown(text);
  return lines.flatMap(({ number, line }) => {
    const plain = line.replace(/`[^`]*`/g, '');
    return [...plain.matchAll(link)].map((match) => ({ number, target: match[1] ?? match[2] }));
  });
}

function exists(files, target) {
  if (files.has(target)) return true;
  const folder = target === '.' ? '' : `${target.replace(/\/$/, '')}/`;
  return [...files.keys()].some((file) => file.startsWith(folder));
}

function problemOf(files, file, target) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return undefined;
  const [place, anchor] = target.split('#');
  const resolved = place === '' ? file : path.posix.join(path.posix.dirname(file), decodeURIComponent(place));
  if (!exists(files, resolved)) return `The link ${target} leads nowhere.`;
  if (!anchor || !resolved.endsWith('.md')) return undefined;
  const anchors = headingsOf(files.get(resolved)).map(({ title }) => anchorOf(title));
  return anchors.includes(anchor) ? undefined : `The link ${target} names a heading that is not there.`;
}

/** Every relative link of every markdown file resolves, its heading too. */
export function checkLinks(files) {
  return [...files.keys()]
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      linksOf(files.get(file)).flatMap(({ number, target }) => {
        const problem = problemOf(files, file, target);
        return problem === undefined ? [] : [finding(file, number, problem)];
      }),
    );
}
