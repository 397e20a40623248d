import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createProject } from './devs.ts';
import { openTestClient, writeOperatorFile } from './test-client.ts';
import { untilGone } from './processes.ts';
import { goneServer, hostileServer, namesOf, notesServer, pidsOf, wordsOf } from './serve-servers-scene.ts';

const SERVERS = { mcpServers: { notes: notesServer(), hostile: hostileServer('--grandchild'), gone: goneServer } };

describe('devs serve in front of servers', () => {
  it('offers what each of them has under its name, and one that is not there takes nothing from the rest', async () => {
    await using project = await createProject();
    await using testClient = await openTestClient(project, ['serve', '--config', writeOperatorFile(project, SERVERS)]);
    const { client } = testClient;
    const names = await namesOf(client);
    expect(names).toEqual(expect.arrayContaining(['read_file', 'notes__find', 'hostile__echo']));
    expect(names.filter((name) => name.startsWith('gone__'))).toEqual([]);
    expect(await wordsOf(client, 'notes__find', { words: 'bread' })).toBe('plan: Buy bread.');
    expect(await wordsOf(client, 'notes__find', { word: 'bread' })).toContain('did you mean "words"');
    expect(await wordsOf(client, 'hostile__echo', { text: 'hello' })).toBe('hello');
    expect(await wordsOf(client, 'gone__find')).toMatch(/^ACCESS_DENIED: no tool has this name/);
    expect((await client.listResources()).resources).toMatchObject([{ uri: 'notes://plan', name: 'plan' }]);
    expect((await client.readResource({ uri: 'notes://plan' })).contents).toMatchObject([{ uri: 'notes://plan', text: expect.stringContaining('Buy bread.') }]);
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'notes__tidy', description: 'Sorts the notes.' }]);
    expect((await client.getPrompt({ name: 'notes__tidy' })).messages).toMatchObject([{ role: 'user', content: { text: expect.stringContaining('Sort my notes.') } }]);
    const log = await project.log();
    expect(log.map(({ toolName, status }) => [toolName, status])).toEqual([
      ['notes__find', 'ok'],
      ['notes__find', 'denied'],
      ['hostile__echo', 'ok'],
      ['gone__find', 'denied'],
      ['notes/resources/read', 'ok'],
      ['notes/prompts/get', 'ok'],
    ]);
  });

  it('ends them with the client, with all that they have started', async () => {
    await using project = await createProject();
    const testClient = await openTestClient(project, ['serve', '--config', writeOperatorFile(project, SERVERS)]);
    const pids = await pidsOf(testClient.client);
    expect(pids).toHaveLength(2);
    await testClient[Symbol.asyncDispose]();
    await untilGone(pids);
  });

  it('starts none for a client that says nothing', async () => {
    await using project = await createProject();
    const marker = path.join(project.outside, 'started');
    const config = writeOperatorFile(project, { mcpServers: { hostile: hostileServer(`--marker=${marker}`) } });
    expect(await project.run(['serve', '--config', config])).toMatchObject({ code: 0, stdout: '', stderr: expect.not.stringContaining('mcpServers') });
    await expect(writeFile(marker, '', { flag: 'wx' })).resolves.toBeUndefined();
  });

  it.each(['none', 'prefer'])('hands them what their entries say, and of its own environment nothing that could be a secret (upstreams %s)', async (upstreams) => {
    await using project = await createProject();
    const { command, args = [] } = hostileServer();
    const server = { command, args, sandbox: { mounts: { readOnly: args } } };
    const mcpServers = { named: { ...server, env: { DEVS_TEST_VARIABLE: 'given' } }, other: server };
    const config = writeOperatorFile(project, { sandbox: { upstreams }, mcpServers });
    await using testClient = await openTestClient(project, ['serve', '--config', config], { DEVS_TEST_VARIABLE: 'of devs' });
    expect(JSON.parse(await wordsOf(testClient.client, 'named__place'))).toMatchObject({ variable: 'given' });
    expect(JSON.parse(await wordsOf(testClient.client, 'other__place'))).not.toHaveProperty('variable');
  });

  it('gives a call of one of them no more time than the configuration does', async () => {
    await using project = await createProject();
    const config = writeOperatorFile(project, { mcpServers: { hostile: { ...hostileServer(), limits: { toolTimeoutMs: 300 } } } });
    await using testClient = await openTestClient(project, ['serve', '--config', config]);
    expect(await wordsOf(testClient.client, 'hostile__silent')).toMatch(/^The tool did not finish within its time limit\./);
    expect(await wordsOf(testClient.client, 'hostile__echo', { text: 'on' })).toBe('on');
  });
});

describe('devs call of a tool of a server', () => {
  it.each<[string, string, readonly string[], number, RegExp, RegExp]>([
    ['gives its answer', 'notes__find', ['{"words":"bread"}'], 0, /plan: Buy bread\./, /^Configuration: .*\n.*UPSTREAM_START_FAILED.*\n$/],
    ['gives its error', 'hostile__rpc_error', [], 1, /^$/, /instructions/],
    ['says what is wrong with the arguments', 'notes__find', ['{}'], 2, /^$/, /must have required property "words"/],
    ['says that there is none', 'gone__find', [], 2, /^$/, /ACCESS_DENIED: no tool has this name/],
    ['says that it died', 'hostile__die', [], 1, /^$/, /ended before it answered/],
  ])('%s', async (_name, tool, args, code, stdout, stderr) => {
    await using project = await createProject();
    const config = writeOperatorFile(project, SERVERS);
    const ended = await project.run(['call', tool, ...args, '--config', config]);
    expect(ended).toEqual({ code, stdout: expect.stringMatching(stdout), stderr: expect.stringMatching(stderr) });
  });
});
