import { once } from 'node:events';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createProject, type Project } from './devs.ts';
import { clientEnvironment } from './test-client.ts';

const NODE = process.execPath;
const MAIN = path.resolve(__dirname, '..', '..', 'dist', 'main.js');
const SERVER = path.resolve(__dirname, '../../../mcp/src/__tests__/fixtures/conformance-server.mjs');
const HOSTILE_SERVER = path.resolve(__dirname, '../../../mcp/src/upstream/__tests__/hostile-server.mjs');
const INITIALIZE = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}\n';

type Mode = 'legacy' | 'auto';

/** Tools that ask something, as servers of each generation of the protocol do. */
const ASKING: Readonly<Record<Mode, readonly string[]>> = {
  legacy: ['test_sampling', 'test_elicitation', 'test_elicitation_sep1330_enums'],
  auto: ['sampling', 'elicitation', 'list_roots', 'request_state', 'multiple_inputs', 'multi_round'].map((what) => `test_input_required_result_${what}`),
};

interface Visit extends AsyncDisposable {
  readonly client: Client;
  /** What the server has asked or told, in its order. */
  readonly heard: readonly unknown[];
}

/** A client that answers what it is asked. */
async function visit(words: readonly string[], project: Project, mode: Mode): Promise<Visit> {
  const capabilities = { sampling: {}, elicitation: { form: {} }, roots: {} };
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
  const heard: unknown[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const schema = 'requestedSchema' in params ? params.requestedSchema : { properties: {} };
    heard.push(['elicitation', schema]);
    return { action: 'accept', content: Object.fromEntries(Object.entries(schema.properties).map(([name, { type }]) => [name, type === 'boolean' ? true : 'ada'])) };
  });
  client.setRequestHandler('sampling/createMessage', async ({ params }) => {
    heard.push(['sampling', params.maxTokens]);
    return { role: 'assistant', model: 'a model', content: { type: 'text', text: 'Once upon a time.' } };
  });
  client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///project', name: 'project' }] }));
  client.setNotificationHandler('notifications/message', ({ params }) => void heard.push(['log', params.level, params.data]));
  await client.connect(new StdioClientTransport({ command: NODE, args: [...words], env: clientEnvironment(project), cwd: project.root, stderr: 'ignore' }));
  return { client, heard, [Symbol.asyncDispose]: async () => client.close() };
}

/** All that a server has beside tools, and calls of tools that say and ask something meanwhile. */
async function takeAll({ client, heard }: Visit, mode: Mode): Promise<Record<string, unknown>> {
  const progress: unknown[] = [];
  // The SDK's client may forget the call before it has heard the last word of it, which comes with the answer.
  const onprogress = ({ progress: at, total }: { readonly progress: number; readonly total?: number | undefined }) => void (at !== total && progress.push([at, total]));
  const answers = [];
  for (const name of ['test_simple_text', 'test_image_content', 'test_multiple_content_types', 'test_error_handling', ...ASKING[mode]]) {
    const { content, isError } = await client.callTool({ name, arguments: { prompt: 'Tell.', message: 'Who?' } });
    answers.push([name, content, isError === true]);
  }
  await client.callTool({ name: 'test_tool_with_progress', arguments: {} }, { onprogress });
  return {
    answers,
    progress,
    heard,
    resources: (await client.listResources()).resources,
    templates: (await client.listResourceTemplates()).resourceTemplates,
    text: (await client.readResource({ uri: 'test://static-text' })).contents,
    binary: (await client.readResource({ uri: 'test://static-binary' })).contents,
    fromTemplate: (await client.readResource({ uri: 'test://template/7/data' })).contents,
    prompts: (await client.listPrompts()).prompts,
    prompt: (await client.getPrompt({ name: 'test_prompt_with_arguments', arguments: { arg1: 'a', arg2: 'b' } })).messages,
    completion: (await client.complete({ ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' }, argument: { name: 'arg1', value: 'a' } })).completion,
    tools: (await client.listTools()).tools.filter(({ name }) => name !== 'read_more'),
  };
}

/** Without what devs puts around text from outside, before questions, and into `_meta`. */
function withoutDevs(taken: Record<string, unknown>): unknown {
  const text = JSON.stringify(taken, (key, value: unknown) => (key === '_meta' ? undefined : value));
  return JSON.parse(text.replaceAll(/<external-content-[^>]*>\\n/g, '').replaceAll(/\\n<\/external-content-[^>]*>/g, ''));
}

describe('devs run', () => {
  it.each<[Mode]>([['legacy'], ['auto']])('relays all that the server has, says and asks (%s)', async (mode) => {
    await using project = await createProject();
    await using bare = await visit([SERVER], project, mode);
    await using behind = await visit([MAIN, 'run', '--', NODE, SERVER], project, mode);
    expect(behind.client.getNegotiatedProtocolVersion()).toBe(bare.client.getNegotiatedProtocolVersion());
    const taken = await takeAll(behind, mode);
    expect(behind.heard.length).toBeGreaterThanOrEqual(ASKING[mode].length - 1);
    expect(withoutDevs(taken)).toEqual(withoutDevs(await takeAll(bare, mode)));
  });

  it('lets the server write to its standard error as it would without', async () => {
    await using project = await createProject();
    const words = `printf '\\033[31mred\\tand \\303\\251 and \\377' >&2; exec "${NODE}" "${HOSTILE_SERVER}"`;
    const child = project.start(['run', '--', 'sh', '-c', words]);
    const said: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
    const answers = readAll(child.stdout);
    child.stdin.write(INITIALIZE);
    await once(child.stdout, 'data');
    child.stdin.end();
    await once(child, 'close');
    expect(child.exitCode).toBe(0);
    expect(await answers).toContain('"id":1');
    expect(Buffer.concat(said).toString('latin1')).toMatch(/^devs guards sh, .*\n\u001b\[31mred\tand \u00c3\u00a9 and \u00ff$/);
  });

  it.each<[NodeJS.Signals]>([['SIGTERM'], ['SIGINT']])('asked to stop by %s lets the server go first, and ends as it did', async (signal) => {
    await using project = await createProject();
    // It says which code it ends with when its input ends.
    const child = project.start(['run', '--', 'sh', '-c', `"${NODE}" "${HOSTILE_SERVER}"; exit 5`]);
    child.stdin.write(INITIALIZE);
    await once(child.stdout, 'data');
    child.kill(signal);
    await once(child, 'exit');
    expect(child.exitCode).toBe(5);
  });
});
