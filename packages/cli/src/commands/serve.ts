import { serveOverHttp, serveOverStdio, type RunningHttpServer, type RunningServer } from '@devs/mcp';
import { describeCause, isRecord } from '@devs/core';
import { Option, type Command } from 'commander';
import { clientSnippets } from '../client-snippets.ts';
import { compose, type Composition } from '../compose.ts';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import { parseHttpAddress, type HttpAddress } from '../http-address.ts';
import type { Place } from '../place.ts';
import { runInPlace, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { tellOfSandbox, warnOfNoSandbox } from '../sandbox-notice.ts';
import { prepareState } from '../state-folder.ts';
import { readOrCreateToken } from '../token-file.ts';
import { printableLine, writeTo } from '../terminal.ts';

export interface ServeOptions {
  readonly http: HttpAddress | undefined;
  readonly auth: boolean;
}

/** `devs serve` on the command line. */
export function addServe(program: Command, session: Session): void {
  const command = program
    .command('serve')
    .description('serve the tools over MCP: on stdio, or over HTTP with --http')
    .addOption(new Option('--http <[host:]port>', 'listen on this machine at /mcp').argParser(parseHttpAddress))
    .option('--no-auth', 'ask for no token over HTTP; Host and Origin are still checked')
    .addHelpText('after', EXAMPLES);
  withPlaceOptions(command).action(async (options: PlaceOptions & { http?: HttpAddress; auth: boolean }) =>
    runInPlace(session, options, (place) => serveCommand({ http: options.http, auth: options.auth }, place)),
  );
}

/** Serves MCP until the client goes away (stdio) or the user stops it. */
export async function serveCommand(options: ServeOptions, place: Place): Promise<ExitCode> {
  await warnOfNoSandbox(place);
  const upstreams = Object.keys(place.config.mcpServers);
  if (upstreams.length > 0) await writeTo(place.terminal.status, `Not served by this version: mcpServers (${upstreams.length}).\n`);
  return options.http === undefined ? serveStdio(place) : serveHttp(options.http, options, place);
}

async function serveStdio(place: Place): Promise<ExitCode> {
  const { root, state, config, logKeys, terminal, stop } = place;
  await using devs = await compose({ root, state, config, logKeys });
  await writeTo(terminal.status, `devs serves ${printableLine(root)} over stdio. Call log: ${state.logFile}\n`);
  const { logger } = devs;
  await sweep(devs, stop);
  // Asked to stop before it began.
  if (stop.aborted) return EXIT.ok;
  const { input, output } = terminal;
  const running = serveOverStdio(devs.server, { input, output, logger, maxMessageBytes: config.mcp.maxMessageBytes });
  onStop(stop, running);
  void tellOfSandbox(devs.confinement, place);
  await running.closed;
  return EXIT.ok;
}

async function serveHttp(address: HttpAddress, { auth }: ServeOptions, place: Place): Promise<ExitCode> {
  const { root, state, config, logKeys, terminal, stop } = place;
  await prepareState(state);
  const token = auth ? await readOrCreateToken(state.tokenFile) : undefined;
  await using devs = await compose({ root, state, config, logKeys, ...(token !== undefined && { injectedSecrets: [token] }) });
  await sweep(devs, stop);
  // Asked to stop before it began.
  if (stop.aborted) return EXIT.ok;
  const limits = { ...config.http, maxMessageBytes: config.mcp.maxMessageBytes };
  const running = await listen(address, () => serveOverHttp(devs.server, { ...address, ...limits, token, logger: devs.logger }));
  const lines = [
    `devs serves ${printableLine(root)} at ${running.url}`,
    `Call log: ${state.logFile}`,
    '',
    ...clientSnippets({ url: running.url, tokenFile: auth ? state.tokenFile : undefined }),
    '',
    'Ctrl-C stops it.',
  ];
  await writeTo(terminal.status, `${lines.join('\n')}\n`);
  onStop(stop, running);
  void tellOfSandbox(devs.confinement, place);
  await running.closed;
  return EXIT.ok;
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

async function listen({ host, port }: HttpAddress, start: () => Promise<RunningHttpServer>): Promise<RunningHttpServer> {
  try {
    return await start();
  } catch (cause) {
    const code = isRecord(cause) ? cause['code'] : undefined;
    if (code === 'EADDRINUSE') {
      throw new CommandFailure(EXIT.unavailable, `Port ${port} on ${host} is taken. Stop what listens there, or choose another: devs serve --http ${port + 1}`, cause);
    }
    if (code === 'EACCES') throw new CommandFailure(EXIT.unavailable, `Port ${port} needs privileges. Choose one above 1023.`, cause);
    throw cause;
  }
}

const EXAMPLES = `
Examples:
  devs serve --root ~/code/shop
  devs serve --http 127.0.0.1:7337`;
