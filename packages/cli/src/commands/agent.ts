import type { AgentLoopOptions, AgentResult } from '@devs/agent';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { AgentView } from '../terminal/agent-view.ts';
import { principalOfAccount } from '../state/account.ts';
import { compose } from '../compose.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { openSession } from '../servers/gateway.ts';
import type { Place } from '../place.ts';
import { ServerIntroductions } from '../servers/server-introductions.ts';
import { runInPlace, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface AgentOptions {
  readonly model: string;
  readonly maxTurns: number;
  readonly maxTokens: number;
  readonly system?: string;
  readonly json: boolean;
}

/** What the environment says of the API. */
export interface ApiEnvironment {
  readonly ANTHROPIC_API_KEY?: string | undefined;
  readonly ANTHROPIC_BASE_URL?: string | undefined;
}

const MAX_TASK_BYTES = 16_777_216;
const DEFAULT_MODEL = 'claude-sonnet-5-5';

/** `devs agent` on the command line. */
export function addAgent(program: Command, session: Session): void {
  const command = program
    .command('agent')
    .description('let a model work on a task, with every tool call through the gate; exit 0 when the model has finished')
    .argument('<task>', 'what to do; - reads it from standard input')
    .option('--model <name>', 'the model', DEFAULT_MODEL)
    .addOption(new Option('--max-turns <n>', 'maximum answers of the model').argParser(parseWhole(1_000)).default(50))
    .addOption(new Option('--max-tokens <n>', 'maximum tokens of one answer').argParser(parseWhole(1_000_000)).default(16_000))
    .option('--system <text>', 'what the model is told before the task, instead of devs’s own words')
    .option('--json', 'one event a line as JSON, the result last', false)
    .addHelpText('after', EXAMPLES);
  withPlaceOptions(command).action(async (task: string, options: PlaceOptions & AgentOptions) =>
    runInPlace(session, options, (place) => agentCommand([task, process.env], options, place)),
  );
}

/** One task, to its end. */
export async function agentCommand(
  [task, environment]: readonly [string, ApiEnvironment],
  { model, maxTurns, maxTokens, system, json }: AgentOptions,
  { root, state, config, logKeys, checkServer, isOfProject, terminal, stop }: Place,
): Promise<number> {
  const api = readApi(environment);
  const asked = task === '-' ? await readTask(terminal, stop) : task;
  if (asked.trim() === '') throw new CommandFailure(EXIT.usage, 'The task is missing. Example: devs agent "List the TODOs of this project"');
  // The SDK takes longer to load than all of devs: the other commands do not wait for it.
  const { AgentLoop, AnthropicClient } = await import('@devs/agent');
  await using devs = await compose({ root, state, config, logKeys, checkServer, isOfProject, injectedSecrets: [api.apiKey] });
  const { registry, proxy, policy, gateway } = devs;
  const session = await openSession(devs, stop);
  const introductions = new ServerIntroductions(policy).of(gateway?.pool.introductions ?? []);
  const gate: AgentLoopOptions['proxy'] = {
    instructions: [proxy.instructions, introductions].filter((part) => part !== '').join('\n'),
    execute: async (asked, wishes) => proxy.execute({ ...asked, ...session }, wishes),
    refuse: async (...refused) => proxy.refuse(...refused),
  };
  const catalog: AgentLoopOptions['registry'] = {
    getTool: (name) => registry.getTool(name),
    listToolsForContext: (context) => registry.listToolsForContext(context).filter((tool) => session.admits?.(tool) !== false),
  };
  const client = new AnthropicClient(api);
  const origin = { principal: principalOfAccount(), channel: 'cli' } as const;
  const request = { model, maxTurns, maxTokens, ...(system !== undefined && { system }) };
  const loop = new AgentLoop({ client, registry: catalog, proxy: gate, origin, ...request, projectRoot: root, limits: config.limits });
  const view = new AgentView(terminal, { json });
  return toExitCode(await loop.run(asked, { signal: stop, onEvent: async (event) => view.show(event) }));
}

/** The key goes to the client alone: no event, no log and no tool ever has it. */
function readApi({ ANTHROPIC_API_KEY: apiKey = '', ANTHROPIC_BASE_URL: baseUrl = '' }: ApiEnvironment) {
  if (apiKey.trim() === '') {
    throw new CommandFailure(EXIT.configuration, 'ANTHROPIC_API_KEY is not set. Export your API key, then run the command again.');
  }
  // What no header can hold would be named, with the key, in an error of the HTTP client.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new CommandFailure(EXIT.configuration, 'ANTHROPIC_API_KEY contains a character that no key has: a space, a line break, or one outside ASCII.');
  }
  if (baseUrl === '') return { apiKey };
  if (!isHttpUrl(baseUrl)) {
    throw new CommandFailure(EXIT.configuration, 'ANTHROPIC_BASE_URL is not an http or https URL without a user name. Example: https://api.anthropic.com');
  }
  return { apiKey, baseUrl };
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '';
}

async function readTask({ input }: Terminal, stop: AbortSignal): Promise<string> {
  stop.addEventListener('abort', () => input.destroy(), { once: true });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    const parts: AsyncIterable<Uint8Array> = input;
    for await (const part of parts) {
      bytes += part.length;
      // Of a task some 100,000 characters are used; somebody else's endless pipe must not fill the memory.
      if (bytes > MAX_TASK_BYTES) throw new CommandFailure(EXIT.usage, `The task on standard input is longer than ${MAX_TASK_BYTES} bytes.`);
      chunks.push(part);
    }
  } catch (cause) {
    if (cause instanceof CommandFailure) throw cause;
    throw new CommandFailure(EXIT.toolError, stop.aborted ? 'Stopped before the task was read.' : 'The task could not be read from standard input.', cause);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function toExitCode({ stopReason }: AgentResult): number {
  switch (stopReason) {
    case 'end_turn':
      return EXIT.ok;
    case 'not_authorized':
    case 'log_unavailable':
      return EXIT.configuration;
    case 'api_error':
      return EXIT.unavailable;
    case 'aborted':
      return EXIT.interrupted;
    default:
      return EXIT.toolError;
  }
}

function parseWhole(most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,7}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > most) throw new InvalidArgumentError(`It is a whole number from 1 to ${most}.`);
    return value;
  };
}

const EXAMPLES = `
Examples:
  devs agent "Say what this project does, in three sentences"
  devs agent "Fix the spelling in docs/" --max-turns 20
  git diff | devs agent - --json

ANTHROPIC_API_KEY is the key. ANTHROPIC_BASE_URL sets another address for the API.

Exit codes: 0 the model has finished, 1 it ended in any other way, 69 the API did not answer, 78 the key is
missing or not accepted or the call log cannot be written, 130 you stopped it.`;
