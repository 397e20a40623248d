import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createProject, type Project } from './devs.ts';
import { isAlive, until, untilGone } from './processes.ts';
import { addToken, goneServer, hostileServer, joinHttp, namesOf, notesServer, pidsOf, serveHttp, wordsOf } from './serve-servers-scene.ts';

const SERVERS = { mcpServers: { notes: notesServer(), hostile: hostileServer('--grandchild'), gone: goneServer } };

let project: Project;
beforeEach(async () => {
  project = await createProject();
});
afterEach(async () => project[Symbol.asyncDispose]());

describe('devs serve --http in front of servers, for more than one', () => {
  it('shows and calls what the token of each allows, and nothing else is there for it', async () => {
    const notes = await addToken(project, 'notes', '--servers', 'notes');
    const files = await addToken(project, 'files', '--tools', 'read_file', 'hostile__e*', '--servers', 'hostile', 'built-in');
    await using served = await serveHttp(project, SERVERS);
    await using ofNotes = await joinHttp(served, notes);
    await using ofFiles = await joinHttp(served, files);
    await using ofAll = await joinHttp(served, served.token);
    expect(await namesOf(ofNotes.client)).toEqual(['notes__find']);
    expect(await namesOf(ofFiles.client)).toEqual(['read_file', 'hostile__echo']);
    expect(await namesOf(ofAll.client)).toEqual(expect.arrayContaining(['read_file', 'write_file', 'notes__find', 'hostile__echo', 'hostile__pids']));
    const denied = /^ACCESS_DENIED: no tool has this name, or you may not use it/;
    expect(await wordsOf(ofNotes.client, 'notes__find', { words: 'bread' })).toBe('plan: Buy bread.');
    expect(await wordsOf(ofNotes.client, 'hostile__echo', { text: 'x' })).toMatch(denied);
    expect(await wordsOf(ofNotes.client, 'read_file', { path: 'hello.txt' })).toMatch(denied);
    expect(await wordsOf(ofFiles.client, 'hostile__echo', { text: 'x' })).toBe('x');
    expect(await wordsOf(ofFiles.client, 'hostile__pids')).toMatch(denied);
    expect(await wordsOf(ofFiles.client, 'notes__find', { words: 'bread' })).toMatch(denied);
    expect((await ofNotes.client.listResources()).resources).toHaveLength(1);
    expect((await ofFiles.client.listResources()).resources).toEqual([]);
    await expect(ofFiles.client.readResource({ uri: 'notes://plan' })).rejects.toThrow();
    const log = await project.log();
    expect(log.map(({ principal, toolName, status }) => [principal, toolName, status])).toEqual(
      expect.arrayContaining([
        ['token:notes', 'notes__find', 'ok'],
        ['token:notes', 'hostile__echo', 'denied'],
        ['token:files', 'hostile__echo', 'ok'],
        ['token:files', 'notes__find', 'denied'],
      ]),
    );
  });

  it('shuts out whose token is revoked, ends its servers, and lets the others be', async () => {
    const [first, second] = [await addToken(project, 'first'), await addToken(project, 'second')];
    await using served = await serveHttp(project, SERVERS);
    await using gone = await joinHttp(served, first);
    await using stays = await joinHttp(served, second);
    const [ofGone, ofStaying] = [await pidsOf(gone.client), await pidsOf(stays.client)];
    // Nobody answers it: what the client's own library makes of the end of the stream is its affair.
    void gone.client.callTool({ name: 'hostile__silent' }).catch(() => undefined);
    expect((await project.run(['tokens', 'revoke', 'first'])).code).toBe(0);
    await untilGone(ofGone);
    await until(async () => (await project.log()).some(({ toolName, code }) => toolName === 'hostile__silent' && code === 'CALL_CANCELLED'));
    await expect(gone.client.listTools()).rejects.toThrow();
    await expect(joinHttp(served, first)).rejects.toThrow();
    expect(await pidsOf(stays.client)).toEqual(ofStaying);
    // A token that is made while devs serves holds, too.
    const third = await addToken(project, 'third', '--servers', 'notes');
    await until(async () => joinHttp(served, third).then(async (joined) => (await joined.leave(), true), () => false));
  });

  it('gives each session servers of its own, and ends them with it', async () => {
    await using served = await serveHttp(project, SERVERS);
    await using one = await joinHttp(served, served.token);
    await using other = await joinHttp(served, served.token);
    const [ofOne, ofOther] = [await pidsOf(one.client), await pidsOf(other.client)];
    expect(new Set([...ofOne, ...ofOther]).size).toBe(4);
    await one.leave();
    await untilGone(ofOne);
    expect(ofOther.every(isAlive)).toBe(true);
    served.child.kill('SIGTERM');
    await untilGone([...ofOther, served.child.pid ?? 0]);
  });
});

describe("the operator's port", () => {
  it('tells how the servers are to whoever has its token, and nobody else; that token opens nothing for agents', async () => {
    const agent = await addToken(project, 'agent');
    const sentinel = `sentinel-${process.pid}`;
    const config = { mcpServers: { ...SERVERS.mcpServers, notes: { ...notesServer(), env: { SECRET_OF_NOTES: sentinel } } } };
    await using served = await serveHttp(project, config, ['--operator', '0']);
    const operator = (await readFile(path.join(project.state, 'operator-token'), 'utf8')).trim();
    const ask = async (where: string, token?: string) => fetch(`${served.operatorUrl}${where}`, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
    expect((await ask('/health')).status).toBe(200);
    for (const token of [undefined, agent, served.token]) expect((await ask('/status', token)).status).toBe(401);
    await expect(joinHttp(served, operator)).rejects.toThrow();
    await using joined = await joinHttp(served, agent);
    expect(await namesOf(joined.client)).toContain('hostile__echo');
    // Nor is it shown where it lies in a file.
    await writeFile(path.join(project.root, 'found.txt'), `${operator}\n`);
    expect(await wordsOf(joined.client, 'read_file', { path: 'found.txt' })).toBe('[REDACTED:secret:injected]\n');
    const response = await ask('/status', operator);
    const text = await response.text();
    expect(response.status).toBe(200);
    for (const secret of [agent, operator, served.token, sentinel]) expect(text).not.toContain(secret);
    const status: Record<string, unknown> = JSON.parse(text);
    expect(status).toMatchObject({ serving: true, sessions: 1 });
    expect(status['servers']).toEqual(
      expect.arrayContaining([
        { server: 'notes', ready: 1, starting: 0, failed: 0 },
        { server: 'gone', ready: 0, starting: 0, failed: 1, reason: expect.stringContaining('was not found') },
      ]),
    );
  });
});
