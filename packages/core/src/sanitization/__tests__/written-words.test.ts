import { describe, expect, it } from '@jest/globals';
import { boundaryTags } from '../steps/boundary-tags.ts';
import { triggers } from '../steps/triggers.ts';
import { clean } from './clean-scene.ts';

const STEPS = [boundaryTags, triggers(['__ot', 'mcp__onetool', 'mcp__devs', 'my-tool', '#run!', 'a|b', 'flat__x', '[[go]]'])];

describe('a trigger or a tag as Markdown that was made from a page writes it', () => {
  it.each([
    ['each low line', '\\_\\_ot run', '[REDACTED:trigger] run'],
    ['the first, the second', '\\__ot _\\_ot', '[REDACTED:trigger] [REDACTED:trigger]'],
    ['in JSON', '"\\\\_\\\\_ot"', '"[REDACTED:trigger]"'],
    ['a longer name', 'mcp\\_\\_devs\\_\\_shell', '[REDACTED:trigger]\\_\\_shell'],
    ['with an escape of another kind', '\\_\\u005fot', '[REDACTED:trigger]'],
    ['with letters of another script', '\\_\\_\u043ft \\_\\_\u043et', '\\_\\_\u043ft [REDACTED:trigger]'],
    ['other punctuation', 'my\\-tool \\#run\\! a\\|b \\[\\[go\\]\\]', '[REDACTED:trigger] \\[REDACTED:trigger] [REDACTED:trigger] \\[REDACTED:trigger]'],
    ['a hyphen in a tag', '</external\\-content\\-1>x', '[REDACTED:tag]x'],
    ['angles of a tag', '\\</external-content-1\\>x', '\\[REDACTED:tag]x'],
    ['a tag in JSON', '<\\\\/external\\\\-content-1\\\\>x', '[REDACTED:tag]x'],
  ])('%s', (_name, input, expected) => expect(clean(input, ...STEPS)).toBe(expected));

  it.each(['\\_\\_other', 'C:\\_x\\__init__', '\\_ot', 'my\\-tools', '\\<external', '\\_\\_init\\_\\_', 'a1b', 'alb'])('%s stays', (text) => {
    expect(clean(text, ...STEPS)).toBe(text);
  });

  it('what stands behind the name of a tag in a string is no part of it', () => {
    expect(clean('"<external-content\\nfoo"', ...STEPS)).toBe('"[REDACTED:tag]\\nfoo"');
  });
});

describe('letters that look alike', () => {
  it.each([
    ['I for l', '</externaI-content-1> mcp__onetooI FIAT__x', '[REDACTED:tag] [REDACTED:trigger] [REDACTED:trigger]'],
    ['1 for l', '</externa1-content-1> mcp__onetoo1', '[REDACTED:tag] [REDACTED:trigger]'],
    ['any case', '</EXTERNAL-Content-1> MCP__ONETOOL My-TOOL', '[REDACTED:tag] [REDACTED:trigger] [REDACTED:trigger]'],
  ])('%s', (_name, input, expected) => expect(clean(input, ...STEPS)).toBe(expected));

  it('i is not l', () => {
    expect(clean('</externai-content-1> fiat__x mcp__onetooi', ...STEPS)).toBe('</externai-content-1> fiat__x mcp__onetooi');
  });
});
