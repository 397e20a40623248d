import { serveOverHttp, serveOverStdio, type Connection, type RunningHttpServer, type RunningServer } from '@devs/mcp';
import { describeCause, errnoOf } from '@devs/core';
import { Option, type Command } from 'commander';
import { clientSnippets } from '../terminal/client-snippets.ts';
import { compose, type Composition } from '../compose.ts';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import { parseHttpAddress, type HttpAddress } from './http-address.ts';
import type { Place } from '../place.ts';
import { runInPlace, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { ServeStatus } from './serve-status.ts';
import { tellOfSandbox, tellOfUnconfined, warnOfNoSandbox } from './sandbox-notice.ts';
import { describeOperator, prepareOperator, startOperator } from './operator.ts';
import { prepareState } from '../state/state-folder.ts';
import { readOrCreateToken } from '../state/token-file.ts';
import { LivePrincipals } from '../state/token-watch.ts';
import { printableLine, writeTo } from '../terminal/terminal.ts';

export interface ServeOptions {
  readonly http: HttpAddress | undefined;
  /** Where the operator asks how it is. */
  readonly operator: HttpAddress | undefined;
  readonly auth: boolean;
}

/** `devs serve` on the command line. */
export function addServe(program: Command, session: Session): void {
  const command = program
    .command('serve')
    .description('serve the tools over MCP: on stdio, or over HTTP with --http')
    .addOption(new Option('--http <[host:]port>', 'listen on this machine at /mcp').argParser(parseHttpAddress))
    .addOption(new Option('--operator <[host:]port>', 'with --http: answer the operator at /health and /status, on a separate port').argParser(parseHttpAddress))
    .option('--no-auth', 'require no token over HTTP; Host and Origin are still checked')
    .addHelpText('after', EXAMPLES);
  withPlaceOptions(command).action(async (options: PlaceOptions & { http?: HttpAddress; operator?: HttpAddress; auth: boolean }) =>
    runInPlace(session, options, (place) => serveCommand({ http: options.http, operator: options.operator, auth: options.auth }, place)),
  );
}

/** Serves MCP until the client goes away (stdio) or the user stops it. */
export async function serveCommand(options: ServeOptions, place: Place): Promise<ExitCode> {
  if (options.operator !== undefined && options.http === undefined) throw new CommandFailure(EXIT.usage, '--operator needs --http: devs serve --http 7337 --operator 7338');
  if (options.operator !== undefined && options.operator.port !== 0 && options.operator.port === options.http?.port) throw new CommandFailure(EXIT.usage, '--http and --operator need different ports: devs serve --http 7337 --operator 7338');
  await warnOfNoSandbox(place);
  return options.http === undefined ? serveStdio(place) : serveHttp(options.http, options, place);
}

async function serveStdio(place: Place): Promise<ExitCode> {
  const { root, state, config, logKeys, checkServer, isOfProject, terminal, stop } = place;
  await using devs = await compose({ root, state, config, logKeys, checkServer, isOfProject });
  await writeTo(terminal.status, `devs serves ${printableLine(root)} over stdio. Call log: ${state.logFile}\n`);
  await tellOfUnconfined(devs.upstreamBoxes, place);
  const { logger } = devs;
  await sweep(devs, stop);
  await devs.gateway?.pool.recall();
  // Asked to stop before it began.
  if (stop.aborted) return EXIT.ok;
  const { input, output } = terminal;
  const running = serveOverStdio(devs.server, { input, output, logger, maxMessageBytes: config.mcp.maxMessageBytes });
  onStop(stop, running);
  void tellOfSandbox(devs, place);
  await running.closed;
  return EXIT.ok;
}

async function serveHttp(address: HttpAddress, options: ServeOptions, place: Place): Promise<ExitCode> {
  const { root, state, config, logKeys, checkServer, isOfProject, stop } = place;
  await prepareState(state);
  const token = options.auth ? await readOrCreateToken(state.tokenFile) : undefined;
  const port = options.operator === undefined ? undefined : await prepareOperator(options.operator, state);
  const injectedSecrets = [token, port?.token].filter((secret) => secret !== undefined);
  await using devs = await compose({ root, state, config, logKeys, checkServer, isOfProject, injectedSecrets });
  await sweep(devs, stop);
  await devs.gateway?.pool.recall();
  // Asked to stop before it began.
  if (stop.aborted) return EXIT.ok;
  const { logger } = devs;
  await using live = await new LivePrincipals({ state, token, logger }).open();
  const status = new ServeStatus(devs);
  const operator = port === undefined ? undefined : await listen(port.address, async () => startOperator(port, { status: async () => status.read(), isHealthy: () => status.isHealthy, logger }));
  const running = await listenForAgents(address, { devs, token, live, place, operator });
  status.serves(running);
  await tellOfUnconfined(devs.upstreamBoxes, place);
  await tellAddresses(running, { auth: options.auth, place, operator: operator === undefined || port === undefined ? [] : describeOperator(operator, port) });
  onStop(stop, running);
  void tellOfSandbox(devs, place);
  await running.closed;
  await operator?.close();
  return EXIT.ok;
}

interface AgentsPort {
  readonly devs: Composition;
  readonly token: string | undefined;
  readonly live: LivePrincipals;
  readonly place: Place;
  readonly operator: RunningServer | undefined;
}

async function listenForAgents(address: HttpAddress, { devs, token, live, place: { config }, operator }: AgentsPort): Promise<RunningHttpServer> {
  const limits = { ...config.http, maxMessageBytes: config.mcp.maxMessageBytes };
  // Of what the caller may not see nobody is told the headers.
  const schemaOf = (name: string, { allows }: Connection) => {
    const tool = devs.registry.getTool(name);
    return tool === undefined || allows?.(tool) === false ? undefined : tool.definition.inputSchema;
  };
  try {
    return await listen(address, () => serveOverHttp(devs.server, { ...address, ...limits, token, principals: live.principals, schemaOf, logger: devs.logger }));
  } catch (cause) {
    await operator?.close();
    throw cause;
  }
}

interface Told {
  readonly auth: boolean;
  readonly place: Place;
  readonly operator: readonly string[];
}

async function tellAddresses({ url }: RunningHttpServer, { auth, place, operator }: Told): Promise<void> {
  const { root, state, terminal } = place;
  const lines = [
    `devs serves ${printableLine(root)} at ${url}`,
    `Call log: ${state.logFile}`,
    ...operator,
    '',
    ...clientSnippets({ url, tokenFile: auth ? state.tokenFile : undefined }),
    '',
    'Ctrl-C stops it.',
  ];
  await writeTo(terminal.status, `${lines.join('\n')}\n`);
}

/** Also when the stop came while the server was being started. */
function onStop(stop: AbortSignal, running: RunningServer): void {
  const close = () => void running.close();
  if (stop.aborted) close();
  else stop.addEventListener('abort', close, { once: true });
}

/** What a killed server left half written goes before anything new is written. */
async function sweep({ files, logger }: Composition, stop: AbortSignal): Promise<void> {
  try {
    await files.sweepTemporaryFiles(stop);
  } catch (cause) {
    logger.warn('SWEEP_FAILED', { error: describeCause(cause) });
  }
}

async function listen<Running>({ host, port }: HttpAddress, start: () => Promise<Running>): Promise<Running> {
  try {
    return await start();
  } catch (cause) {
    const code = errnoOf(cause);
    if (code === 'EADDRINUSE') {
      throw new CommandFailure(EXIT.unavailable, `Port ${port} on ${host} is in use. Stop what listens there, or choose another: devs serve --http ${port + 1}`, cause);
    }
    if (code === 'EACCES') throw new CommandFailure(EXIT.unavailable, `Port ${port} needs privileges. Choose one above 1023.`, cause);
    throw cause;
  }
}

const EXAMPLES = `
Examples:
  devs serve --root ~/code/shop
  devs serve --http 127.0.0.1:7337
  devs serve --http 7337 --operator 7338`;
