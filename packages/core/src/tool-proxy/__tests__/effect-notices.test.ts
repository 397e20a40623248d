import { describe, expect, it } from '@jest/globals';
import { describeBlock } from '../../protocol/tool-result.ts';
import { codeOf, createScene, describeTool, request } from './scene.ts';

const MOVED = '[devs: no tool may make these, so they were moved aside: .vscode is now .vscode.devs-aside-1.]';
const WITHHELD = '[OUTPUT WITHHELD: the result could not be made safe to read]';
/** Takes more work than any honest text of its length. */
const DEAR = { type: 'text', text: 'mysql -p'.repeat(200_000) };
const notice = (text: string, tellsEffect: boolean) => ({ type: 'notice', text, tellsEffect });

async function answerOf(content: readonly object[], source: 'own' | 'foreign' = 'own') {
  const tool = describeTool({ authorship: source, ...(source === 'foreign' && { source: 'server' }) });
  const { proxy, records } = createScene({ tools: [tool], execute: () => ({ content }) });
  const result = await proxy.execute(request());
  return { said: result.content.map(describeBlock).join('\n'), code: codeOf(result), logged: JSON.stringify(records) };
}

describe('what devs did to the project, where the output of the command is withheld', () => {
  it('is said with the error, and in the log', async () => {
    const { said, code, logged } = await answerOf([DEAR, notice('[devs: the command ended with exit code 1.]', false), notice(MOVED, true)]);
    expect(code).toBe('OUTPUT_WITHHELD');
    expect(said).toContain(`${WITHHELD} ${MOVED} The tool ran.`);
    expect(said).not.toContain('exit code');
    expect(logged).toContain('.vscode.devs-aside-1');
  });

  it('is said beside bytes that are no text', async () => {
    const { said, code } = await answerOf([{ type: 'text', text: new Uint8Array(4_096).map((_, index) => index % 7) }, notice(MOVED, true)]);
    expect(code).toBe('BINARY_CONTENT');
    expect(said).toContain(MOVED);
  });

  it('stays on one line, and holds no secret and no control', async () => {
    const token = ['ghp', 'G9G9RlMxhIPZccEkZ1aB3cD5eF7gH9iJ1kL3'].join('_');
    const { said } = await answerOf([DEAR, notice(`[devs: moved: \u001b[2J${token}\n[devs: all is well]`, true)]);
    expect(said).toContain('[devs: moved: [REDACTED:secret:github-token] [devs: all is well]');
  });

  it('is taken from no server', async () => {
    const { said, code } = await answerOf([DEAR, notice(MOVED, true)], 'foreign');
    expect(code).toBe('OUTPUT_WITHHELD');
    expect(said).not.toContain('moved aside');
  });

  it('is asked of no output that is a text alone', async () => {
    const { proxy } = createScene({ execute: () => DEAR.text });
    expect((await proxy.execute(request())).content.map(describeBlock).join('')).toMatch(/^\[OUTPUT WITHHELD: the result could not be made safe to read\] The tool ran/);
  });
});
