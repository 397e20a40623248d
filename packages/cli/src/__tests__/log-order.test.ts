import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { InProcessHandler, ToolRegistration } from '@devs/core';
import { compose, type Composition } from '../compose.ts';
import { locateState } from '../state/state-folder.ts';
import { createProject, type Project } from './devs.ts';
import { openTestClient, unwrapped } from './test-client.ts';
import { readRecords } from './log-state.ts';

const MAIN = path.resolve(__dirname, '..', '..', 'dist', 'main.js');
const WITNESS = path.join(__dirname, 'log-witness.mjs');
const CALLS = 32;

function defineTool(name: string, effects: boolean, handler: InProcessHandler): ToolRegistration {
  return { definition: { name, inputSchema: { type: 'object' } }, handler, effects, labels: [], source: 'test' };
}

async function open({ root, state }: Project, ...tools: readonly ToolRegistration[]): Promise<Composition> {
  return compose({ checkServer: undefined, root, state: locateState(root, { DEVS_STATE_DIR: state }), tools });
}

async function call({ proxy }: Composition, toolName: string): Promise<string> {
  const context = { projectRoot: '/', agentId: 'agent', turnIndex: 1, phaseId: '', epicId: '' };
  const { content } = await proxy.execute({ toolName, args: {}, context });
  return JSON.stringify(content);
}

/** Transactions that reached the log: each ends in a frame of the write-ahead file that says how large the database is then. */
function countCommits({ state }: Project): number {
  const bytes = readFileSync(path.join(state, 'agent_logs.db-wal'));
  const frameSize = 24 + bytes.readUInt32BE(8);
  // Frames from before the file was begun anew have other salts.
  const salts = bytes.subarray(16, 24);
  let commits = 0;
  for (let at = 32; at + frameSize <= bytes.length; at += frameSize) {
    if (bytes.readUInt32BE(at + 4) > 0 && salts.equals(bytes.subarray(at + 8, at + 16))) commits += 1;
  }
  return commits;
}

/** Resolves for all when so many have come. */
function createGathering(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let come = 0;
  return async () => {
    come += 1;
    if (come === count) resolve();
    return promise;
  };
}

describe('the start of a call', () => {
  it('is in the log, for another process too, before a tool runs that has effects', async () => {
    await using project = await createProject();
    await using testClient = await openTestClient(project, ['run', '--', process.execPath, WITNESS, MAIN, path.join(project.outside, 'go')]);
    const { text } = await testClient.call('look');
    expect(JSON.parse(unwrapped(text))).toMatchObject({ toolName: 'look', status: 'started', output: null });
  });

  it('is there for every one of many that begin at once', async () => {
    await using project = await createProject();
    const gather = createGathering(CALLS);
    const seen: number[] = [];
    const look = async () => {
      seen.push((await readRecords(project)).filter(({ kind }) => kind === 'call.started').length);
      await gather();
      return { content: [] };
    };
    await using devs = await open(project, defineTool('look', true, look));
    await Promise.all(Array.from({ length: CALLS }, async () => call(devs, 'look')));
    expect(seen).toEqual(Array.from({ length: CALLS }, () => CALLS));
  });

  it('of a tool without effects is written in one transaction with its outcome; with effects each has its own', async () => {
    await using project = await createProject();
    const answer = async () => ({ content: [] });
    await using devs = await open(project, defineTool('read', false, answer), defineTool('change', true, answer));
    await call(devs, 'read');
    const before = countCommits(project);
    await call(devs, 'read');
    const between = countCommits(project);
    await call(devs, 'change');
    expect([between - before, countCommits(project) - between]).toEqual([1, 2]);
  });
});

describe('many calls at once', () => {
  it.each([true, false])('share a flush for all starts and one for all outcomes (effects: %s)', async (effects) => {
    await using project = await createProject();
    const gather = createGathering(CALLS);
    const meet = async () => {
      await gather();
      return { content: [] };
    };
    await using devs = await open(project, defineTool('first', false, async () => ({ content: [] })), defineTool('meet', effects, meet));
    await call(devs, 'first');
    const before = countCommits(project);
    await Promise.all(Array.from({ length: CALLS }, async () => call(devs, 'meet')));
    expect((await readRecords(project)).filter(({ toolName }) => toolName === 'meet')).toHaveLength(2 * CALLS);
    expect(countCommits(project) - before).toBeLessThanOrEqual(effects ? 2 : 1);
  });
});
