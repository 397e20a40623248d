/** Patterns that are made of what is only known later, with the reason why none of them can be slow. `made` is the argument as it stands in the source. */
export const madeLater = [
  { file: 'packages/cli/src/config/server-words.ts', made: '`[${each}]`', reason: 'one character' },
  { file: 'packages/cli/src/config/server-words.ts', made: '`[${separators}]+`', reason: 'one loop with nothing behind it' },
  { file: 'packages/core/src/patterns/alphabet.ts', made: '`^${source}$`', reason: 'one character of a pattern that was parsed' },
  { file: 'packages/core/src/patterns/alphabet.ts', made: 'escaped', reason: 'one property of characters' },
  { file: 'packages/core/src/sanitization/html/html-contents.ts', made: 'pattern', reason: 'a copy of a pattern that stands in the file' },
  { file: 'packages/core/src/sanitization/html/html-text.ts', made: 'pattern', reason: 'a copy of a pattern that stands in the file, on 64 units' },
  { file: 'packages/core/src/sanitization/steps/notice-forgeries.ts', made: '`(?:${bracketed}|${NAME}${NO_WORD_ON_LINE}{0,${String(MOST_BEHIND)}})${digits}`', reason: 'bounded loops: one that ends where it could begin again, and four behind different letters' },
  { file: 'packages/core/src/sanitization/secrets/look.ts', made: 'toPattern(literal)', reason: 'a literal without a loop' },
  { file: 'packages/core/src/sanitization/steps/triggers.ts', made: 'pattern', reason: 'as `whole`, which is looked at, or a mark' },
  { file: 'packages/mcp/src/upstream/pool/catalog.ts', made: '`^\\\\["${kind}",(\\\\d{1,9})\\\\]$`', reason: 'on at most 48 units' },
];
