/** The fenced blocks of a page, in order. */
export function fencedBlocks(page) {
  return [...page.matchAll(/^```(\w*)[^\n]*\n(.*?)^```$/gms)].map(([, language, text]) => ({ language, text }));
}
