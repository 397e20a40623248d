import { describe, expect, it } from '@jest/globals';
import { isRecord } from '@devs/core';
import { ListedTools } from '../listed-tools.ts';

function tool(name: string, properties: number): object {
  const members = Array.from({ length: properties }, (_, index) => [`p${index}`, { type: 'string' }]);
  return { name, inputSchema: { type: 'object', properties: Object.fromEntries(members) } };
}

describe('the tools of one list', () => {
  it('are taken as they are, each with its definition', async () => {
    const listed = new ListedTools();
    await listed.add([tool('a', 1), tool('b', 2)]);
    expect(listed.tools).toMatchObject([{ name: 'a', definition: { name: 'a' } }, { name: 'b' }]);
  });

  it('together may not be more than can be compiled in a moment', async () => {
    const listed = new ListedTools();
    await listed.add(Array.from({ length: 40 }, (_, index) => tool(`t${index}`, 1_500)));
    const refused = listed.tools.filter((entry) => 'refusal' in entry);
    expect(listed.tools.length - refused.length).toBe(16);
    expect(refused[0]).toEqual({ name: 't16', refusal: expect.stringContaining('too large together') });
  });

  it('together may not be more than 4 MiB', async () => {
    const listed = new ListedTools();
    await listed.add(Array.from({ length: 30 }, (_, index) => ({ ...tool(`t${index}`, 1), description: 'x'.repeat(200_000) })));
    expect(listed.tools.filter((entry) => 'definition' in entry)).toHaveLength(20);
  });

  it('keep nothing of what is too large but the name', async () => {
    const listed = new ListedTools();
    await listed.add([{ ...tool('large', 1), description: 'x'.repeat(1_000_000) }, { name: 7 }, 'no tool']);
    expect(JSON.stringify(listed.tools).length).toBeLessThan(1_000);
    expect(listed.tools.map((entry) => (isRecord(entry) ? entry['name'] : 0))).toEqual(['large', undefined, undefined]);
  });

  it('give way to others, and are at most a thousand', async () => {
    const listed = new ListedTools();
    let turns = 0;
    const count = setInterval(() => (turns += 1), 0);
    await listed.add(Array.from({ length: 1_001 }, (_, index) => tool(`t${index}`, 1)));
    clearInterval(count);
    expect(listed.isFull).toBe(true);
    expect(listed.tools).toHaveLength(1_000);
    expect(turns).toBeGreaterThan(0);
  });
});
