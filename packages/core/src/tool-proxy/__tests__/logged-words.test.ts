import { expect, it } from '@jest/globals';
import { DEFAULT_TOOL_SETTINGS } from '../../config/tool-settings.ts';
import { context, createScene, describeTool, request } from './scene.ts';

/** Put together here: no file holds a secret whole. */
const TOKEN = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_');
const MARK = 'a [REDACTED:secret:github-token]';
const words = `a ${TOKEN}`;

it.each<[string, object, object]>([
  ['agentId', { context: { ...context, agentId: words } }, { agentId: MARK }],
  ['phaseId', { context: { ...context, phaseId: words } }, { phaseId: MARK }],
  ['epicId', { context: { ...context, epicId: words } }, { epicId: MARK }],
  ['taskId', { context: { ...context, taskId: words } }, { taskId: MARK }],
  ['principal', { origin: { principal: words, channel: 'library' } }, { principal: MARK }],
  ['parentCallId', { origin: { principal: 'local', channel: 'library', parentCallId: words } }, { parentCallId: MARK }],
  ['arguments', { args: { path: words } }, { input: { path: MARK } }],
])('the log masks the words of the caller in %s, before the call and after it', async (_name, changes, expected) => {
  const scene = createScene();
  await scene.proxy.execute(request(changes));
  expect(scene.intents[0]).toMatchObject(expected);
  expect(scene.records[0]).toMatchObject(expected);
  expect(JSON.stringify([scene.intents, scene.records])).not.toContain(TOKEN);
});

it('the log masks the name of a tool that is not there', async () => {
  const scene = createScene();
  await scene.proxy.execute(request({ toolName: words }));
  expect(scene.records[0]?.toolName).not.toContain(TOKEN);
});

it('the log masks what came, where lenient validation made something else of it', async () => {
  const settings = { ...DEFAULT_TOOL_SETTINGS, validation: { mode: 'lenient' } } as const;
  const scene = createScene({ tools: [describeTool()], registry: { settingsFor: () => settings } });
  await scene.proxy.execute(request({ args: { path: 7, options: words } }));
  expect(scene.intents[0]).toMatchObject({ input: { path: '7', options: MARK }, receivedInput: { path: 7, options: MARK } });
  expect(JSON.stringify([scene.intents, scene.records])).not.toContain(TOKEN);
});
