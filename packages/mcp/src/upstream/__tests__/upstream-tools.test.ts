import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { until } from './processes.ts';
import { createScene, HELLO, textOf, type Scene } from './scene.ts';

function names({ registry }: Scene): readonly string[] {
  return registry.getToolNames();
}

describe('the tools of a server', () => {
  it('are those of all pages, in the server’s order', async () => {
    await using scene = createScene(['--tools=paged']);
    await scene.upstream.start(HELLO);
    expect(names(scene)).toEqual(['echo', 'pids', 'hello']);
  });

  it('end somewhere', async () => {
    await using scene = createScene(['--tools=endless']);
    await scene.upstream.start(HELLO);
    expect(names(scene)).toHaveLength(100);
  });

  it('are registered as what they are: with effects, untrusted, from the server', async () => {
    await using scene = createScene();
    await scene.upstream.start(HELLO);
    expect(scene.registry.getTool('echo')).toMatchObject({ effects: true, labels: ['untrusted'], source: 'hostile', authorship: 'foreign' });
  });

  it('that cannot be accepted are not offered, each said once with the reason', async () => {
    await using scene = createScene(['--tools=bad']);
    await scene.upstream.start(HELLO);
    expect(names(scene)).toEqual(['echo']);
    const said = scene.said.filter(({ event }) => event === 'UPSTREAM_TOOL_REFUSED');
    expect(said.map(({ tool, reason }) => [tool, String(reason).replace(/^[A-Z_]+: /, '')])).toEqual([
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
      ['"bad_pattern"', expect.stringMatching(/^The schema cannot be used: "\/properties\/a\/pattern" is a pattern that cannot be used/)],
      ['"network"', expect.stringMatching(/^The schema cannot be used: "\/properties\/a\/\$ref" leads to nothing inside the schema/)],
      ['"huge"', 'The definition cannot be used: it is longer than 262144 bytes of JSON.'],
      ['"bad_icons"', 'The definition is not what MCP calls a tool.'],
      ['"bad_description"', 'The definition cannot be used: its description is not of the kind that MCP gives it.'],
      ['null', 'The definition cannot be used: it is not an object.'],
    ]);
    const kept = scene.registry.listRefused().map(({ name, source, reason }) => [name, source, reason]);
    expect(kept).toEqual(expect.arrayContaining([
      ['bad_pattern', 'hostile', expect.stringMatching(/^TOOL_SCHEMA_REFUSED: The schema cannot be used/)],
      ['no_schema', 'hostile', 'TOOL_SCHEMA_REFUSED: The definition cannot be used: it has no inputSchema.'],
    ]));
    expect(kept.map(([name]) => name)).not.toContain('echo');
  });

  it('are listed anew when the server says that they changed', async () => {
    await using scene = createScene(['--tools=growing']);
    await scene.upstream.start(HELLO);
    expect(names(scene)).toContain('pids');
    await scene.call('change');
    await until(() => scene.changes() >= 2);
    expect(names(scene)).toContain('hello');
    expect(names(scene)).not.toContain('pids');
  });

  it('are not listed ten thousand times because the server says so ten thousand times', async () => {
    await using scene = createScene(['--tools=growing']);
    await scene.upstream.start(HELLO);
    await scene.call('change_a_lot');
    await until(() => scene.changes() >= 2);
    const seen: readonly { method: string }[] = JSON.parse(textOf(await scene.call('seen')));
    expect(seen.filter(({ method }) => method === 'tools/list').length).toBeLessThan(5);
  });

  it('are not listed on and on for a server that says after each list that they changed', async () => {
    const untilAborted = async (_milliseconds: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await using scene = createScene(['--tools=growing', '--restless'], { timers: { monotonicMs: () => 0, sleep: untilAborted } });
    await scene.upstream.start(HELLO);
    for (let turn = 0; turn < 50; turn += 1) await scene.call('echo', { text: 'x' });
    const seen: readonly { method: string }[] = JSON.parse(textOf(await scene.call('seen')));
    // As many at the start as its word comes before the list is taken over, and then one more until the pause is over.
    const lists = seen.filter(({ method }) => method === 'tools/list').length;
    expect(lists).toBeGreaterThanOrEqual(2);
    expect(lists).toBeLessThanOrEqual(6);
  });

  it('are withdrawn when their definition changes while the server runs', async () => {
    await using scene = createScene(['--tools=changing']);
    await scene.upstream.start(HELLO);
    await scene.call('change');
    expect(await scene.untilSaid('UPSTREAM_TOOL_CHANGED')).toMatchObject({ tool: '"echo"' });
    expect(names(scene)).toEqual(['change', 'die', 'pids']);
    expect(textOf(await scene.call('echo', { text: 'x' }))).toMatch(/^ACCESS_DENIED/);
  });

  it('are withdrawn when their definition changes after a restart, before any call reaches them', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'devs-upstream-'));
    try {
      await using scene = createScene(['--tools=changing', `--marker=${path.join(folder, 'starts')}`]);
      await scene.upstream.start(HELLO);
      expect(names(scene)).toContain('echo');
      await scene.call('die');
      await scene.untilUp();
      expect(names(scene)).toEqual(['change', 'die', 'pids']);
      expect(scene.said.filter(({ event }) => event === 'UPSTREAM_TOOL_CHANGED')).toHaveLength(1);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
