import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createUpstream } from '../create-upstream.ts';
import { systemTimers, type Timers } from '../protocol/timers.ts';
import { createPoolScene, NOBODY, textOf, type PoolScene } from './pool-scene.ts';
import { until } from './processes.ts';

/** The whole pool in front of real processes of a server of this folder. */
function openPool(words: readonly string[], timers: Timers = systemTimers): PoolScene {
  const [file = '', ...args] = words;
  const config = { name: 'server', command: process.execPath, args: [path.join(__dirname, file), ...args] };
  return createPoolScene(
    { server: {} },
    { timers, connect: (_name, client) => createUpstream({ config, client, root: __dirname, environment: process.env, timers, random: () => 0 }) },
  );
}

describe('a pool in front of a real server', () => {
  it('offers, calls and ends it', async () => {
    await using scene = openPool(['sdk-server.mjs', 'stdio-legacy']);
    const instances = await scene.joined();
    expect(scene.offered(instances)).toContain('server__echo');
    expect(textOf(await scene.call(instances, 'server__echo', { args: { words: 'hello' } }))).toBe('hello');
    const pid = Number(textOf(await scene.call(instances, 'server__pid')));
    await instances.end();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it.each(['stdio-legacy', 'stdio-modern'])('relays what it asks, and what is answered (%s)', async (mode) => {
    await using scene = openPool(['sdk-server.mjs', mode]);
    const instances = await scene.joined();
    const { inputRequired } = await scene.call(instances, 'server__ask');
    const [asked] = Object.entries(inputRequired?.inputRequests ?? {});
    const [key, question] = asked ?? ['', undefined];
    expect(question).toMatchObject({ method: 'elicitation/create' });
    const inputResponses = { [key]: { action: 'accept', content: { name: 'Ada' } } };
    const continuation = { inputResponses, state: inputRequired?.requestState };
    expect(textOf(await scene.call(instances, 'server__ask', { continuation }))).toBe('accept Ada');
  });

  it('takes the tools of all pages, in the server’s order', async () => {
    await using scene = openPool(['hostile-server.mjs', '--tools=paged']);
    expect(scene.offered(await scene.joined())).toEqual(['server__echo', 'server__pids', 'server__hello']);
  });

  it('ends a list that has no end', async () => {
    await using scene = openPool(['hostile-server.mjs', '--tools=endless']);
    expect(scene.offered(await scene.joined())).toHaveLength(100);
  });

  it('leaves out what cannot be accepted, each said once with the reason', async () => {
    await using scene = openPool(['hostile-server.mjs', '--tools=bad']);
    expect(scene.offered(await scene.joined())).toEqual(['server__echo']);
    await scene.joined();
    const said = scene.said.filter(({ event }) => event === 'UPSTREAM_TOOL_REFUSED');
    expect(said.map(({ tool, reason }) => [tool ?? null, String(reason).replace(/^[A-Z_]+: /, '')])).toEqual([
      ['"sp ace"', expect.stringMatching(/^A tool name is 1 to 128 characters/)],
      ['""', expect.stringMatching(/^A tool name is/)],
      ['"[...]"', expect.stringMatching(/^A tool name is/)],
      ['"echo"', 'The server lists two tools of this name.'],
      ['"bidi"', 'The definition cannot be used: its description holds the hidden character U+202E.'],
      ['"tags"', 'The definition cannot be used: its title holds the hidden character U+E0049.'],
      ['"zero_width"', 'The definition cannot be used: its inputSchema holds the hidden character U+200B.'],
      ['"hidden_key"', 'The definition cannot be used: its inputSchema holds the hidden character U+2060.'],
      ['"no_object"', expect.stringMatching(/^The definition is not what MCP calls a tool\.|"type": "object"/)],
      ['"no_schema"', 'The definition cannot be used: it has no inputSchema.'],
      ['"bad_pattern"', expect.stringMatching(/"\/properties\/a\/pattern" is a pattern that cannot be used/)],
      ['"network"', expect.stringMatching(/"\/properties\/a\/\$ref" leads to nothing inside the schema/)],
      ['"huge"', 'The definition cannot be used: it is longer than 262144 bytes of JSON.'],
      ['"bad_icons"', 'The definition is not what MCP calls a tool.'],
      ['"bad_description"', 'The definition cannot be used: its description is not of the kind that MCP gives it.'],
      [null, 'The definition cannot be used: it is not an object.'],
    ]);
    expect(scene.registry.listRefused().map(({ name }) => name)).toEqual(expect.arrayContaining(['server__bad_pattern', 'server__no_schema']));
  });

  it('lists them anew when the server says so, and not ten thousand times', async () => {
    await using scene = openPool(['hostile-server.mjs', '--tools=growing']);
    const instances = await scene.joined();
    expect(scene.offered(instances)).toContain('server__pids');
    await scene.call(instances, 'server__change_a_lot');
    await until(() => scene.offered(instances).includes('server__hello'));
    expect(scene.offered(instances)).not.toContain('server__pids');
    const seen: readonly { method: string }[] = JSON.parse(textOf(await scene.call(instances, 'server__seen')));
    expect(seen.filter(({ method }) => method === 'tools/list').length).toBeLessThan(5);
  });

  it('withdraws a tool that changes while the server runs', async () => {
    await using scene = openPool(['hostile-server.mjs', '--tools=changing']);
    const instances = await scene.joined();
    await scene.call(instances, 'server__change');
    await until(() => !scene.offered(instances).includes('server__echo'));
    expect(scene.offered(instances)).toEqual(['server__change', 'server__die', 'server__pids']);
    expect(await scene.codeOf(instances, 'server__echo', { args: { text: 'x' } })).toBe('TOOL_NOT_APPROVED');
  });

  it('withdraws a tool that has changed when the server is started again, before any call reaches it', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'devs-pool-'));
    try {
      await using scene = openPool(['hostile-server.mjs', '--tools=changing', `--marker=${path.join(folder, 'starts')}`]);
      const instances = await scene.joined();
      expect(scene.offered(instances)).toContain('server__echo');
      await scene.call(instances, 'server__die');
      await instances.ready(NOBODY);
      expect(await scene.codeOf(instances, 'server__echo', { args: { text: 'x' } })).toBe('TOOL_NOT_APPROVED');
      expect(scene.offered(instances)).toEqual(['server__change', 'server__die', 'server__pids']);
      expect(scene.said.filter(({ event }) => event === 'UPSTREAM_TOOL_CHANGED')).toHaveLength(1);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
