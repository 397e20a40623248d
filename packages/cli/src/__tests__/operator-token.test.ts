import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { prepareOperator } from '../commands/operator.ts';
import { locateState, prepareState, type StateFolder } from '../state/state-folder.ts';
import { readOrCreateToken } from '../state/token-file.ts';
import { createProject } from './devs.ts';

let folder: string;
let state: StateFolder;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'devs-operator-'));
  state = locateState(folder, { DEVS_STATE_DIR: path.join(folder, 'state') });
  await prepareState(state);
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

const address = { host: '127.0.0.1', port: 0 };

it('the operator has a token of its own, whether agents have one or not', async () => {
  const { token, tokenFile } = await prepareOperator(address, state);
  expect((await readFile(tokenFile, 'utf8')).trim()).toBe(token);
  expect(await readOrCreateToken(state.tokenFile)).not.toBe(token);
  expect((await prepareOperator(address, state)).token).toBe(token);
});

it('a copy of the token of agents is none', async () => {
  const token = await readOrCreateToken(state.tokenFile);
  const file = path.join(state.path, 'operator-token');
  await writeFile(file, `  ${token}\n\n`, { mode: 0o600 });
  await expect(prepareOperator(address, state)).rejects.toThrow(`The file ${JSON.stringify(file)} contains the agents' token; delete it to get a separate one for the operator.`);
});

it.each(['18090', 'localhost:18090', '[::1]:18090'])('the port of agents is not taken for the operator too: %s', async (operator) => {
  await using project = await createProject();
  const { code, stderr } = await project.run(['serve', '--http', '18090', '--operator', operator]);
  expect([code, stderr]).toEqual([64, expect.stringContaining('--http and --operator need different ports')]);
});
