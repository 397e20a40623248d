import { hasSystemLog, openSigningKey } from '@devs/storage';
import { Option, type Command } from 'commander';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { runReading, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { printableLine, toJsonText, writeTo } from '../terminal/terminal.ts';

export interface LogsKeyOptions {
  readonly json: boolean;
  readonly pem: boolean;
}

/** `devs logs key` on the command line. */
export function addLogsKey(logs: Command, session: Session): void {
  const key = logs
    .command('key')
    .description('show the public key that signs heads of the log, to keep where you verify the log; created if there is none')
    .addOption(new Option('--pem', 'as PEM, for other programs').default(false).conflicts('json'))
    .option('--json', 'one JSON document', false)
    .addHelpText('after', EXAMPLES);
  withPlaceOptions(key).action(async (options: PlaceOptions & LogsKeyOptions) =>
    runReading(session, options, (place) => logsKeyCommand(options, place)),
  );
}

/**
 * Prints the public key as `devs logs verify --key` and `verify-log.mjs` take it, and beside it where the private one lies,
 * which is never printed. Exit 78 where logs are not signed.
 */
export async function logsKeyCommand({ json, pem: isPem }: LogsKeyOptions, { logKeys, config, terminal }: Place): Promise<ExitCode> {
  const { keyFile, headsFolder, notUsed } = logKeys;
  if (notUsed !== undefined) throw new CommandFailure(EXIT.configuration, `The call log is not signed: ${notUsed}.`);
  const { id, publicKey } = openSigningKey(keyFile);
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const { systemLog, file } = config.audit.heads;
  const isInSystemLog = systemLog && hasSystemLog();
  if (json) {
    await writeTo(terminal.output, `${toJsonText({ key: id, pem, keyFile, headsFolder, systemLog: isInSystemLog, file })}\n`);
    return EXIT.ok;
  }
  await writeTo(terminal.output, isPem ? pem : `${id}\n`);
  const places = [headsFolder, ...(isInSystemLog ? ['the system log'] : []), ...(file === null ? [] : [file])];
  const facts = [
    `The private key is in ${keyFile}. Anyone who has it can sign any log.`,
    `Heads go to: ${places.join(', ')}.`,
    ...(systemLog && !isInSystemLog ? ['There is no system log here.'] : []),
  ];
  await writeTo(terminal.status, `${facts.map(printableLine).join('\n')}\n`);
  return EXIT.ok;
}

const EXAMPLES = `
Examples:
  devs logs key > devs.pub
  devs logs verify copy.db --against head.json --key devs.pub`;
