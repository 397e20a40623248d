import { CONFIG_SCHEMA } from '@devs/core';
import type { Command } from 'commander';
import { openControllingTerminal } from '../config/controlling-terminal.ts';
import { describeFiles, describeKeys } from '../config/describe-config.ts';
import { describeDoubts } from '../config/doubts.ts';
import { loadConfig } from '../config/load-config.ts';
import { describeQuestion, describeReview } from '../config/review.ts';
import { findCandidate } from '../config/trust.ts';
import { writeTrustRecord } from '../config/trust-record.ts';
import { CommandFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import { findSite, withPlaceOptions, type PlaceOptions, type Session, type Site } from '../session.ts';
import { toTableLines } from '../terminal/table.ts';
import { printableLine, toJsonText, writeTo } from '../terminal/terminal.ts';

/** `devs config` on the command line. */
export function addConfig(program: Command, session: Session): void {
  const config = program.command('config').description('show the configuration, and trust a file of the project').addHelpText('after', EXAMPLES);
  withPlaceOptions(
    config.command('trust').description('show what a file of the project sets, and ask on the terminal whether you trust it'),
  ).action(async (options: PlaceOptions) => {
    session.exitCode = await configTrustCommand(await findSite(session, options));
  });
  withPlaceOptions(
    config.command('print').description('show every key, its value and who set it').option('--json', 'one JSON document', false),
  ).action(async (options: PlaceOptions & { json: boolean }) => {
    session.exitCode = await configPrintCommand(options, await findSite(session, options));
  });
  config
    .command('schema')
    .description('print the JSON Schema of devs.config.json')
    .action(async () => writeTo(session.terminal.output, `${JSON.stringify(CONFIG_SCHEMA, null, 2)}\n`));
}

/**
 * Asks on the controlling terminal, never on standard input: what `yes |` pipes in is not an answer. The review is
 * written there too, so that a redirected output cannot hide it.
 */
export async function configTrustCommand({ request, state, terminal, stop }: Site): Promise<ExitCode> {
  const { review, record, isTrusted } = await findCandidate(request, new Date());
  const file = printableLine(record.path);
  if (isTrusted) {
    await writeTo(terminal.status, `${file} is already trusted, exactly as it is.\n`);
    return EXIT.ok;
  }
  using asking = await openControllingTerminal();
  if (asking === undefined) {
    throw new CommandFailure(EXIT.configuration, 'There is no terminal to ask on, so nothing is trusted. Run this in your own terminal.');
  }
  await asking.show(describeReview(review));
  const answer = await asking.ask(describeQuestion(review), stop);
  if (answer?.trim() !== 'yes') {
    await writeTo(terminal.status, 'Nothing is trusted.\n');
    return EXIT.toolError;
  }
  await writeTrustRecord(state, record);
  await writeTo(terminal.status, `Trusted: ${file} (sha256 ${record.sha256}). It is in force from the next start.\n`);
  return EXIT.ok;
}

/** What is in force, key by key, and the files that were looked at. */
export async function configPrintCommand({ json }: { json: boolean }, { request, root, terminal }: Site): Promise<ExitCode> {
  const loaded = await loadConfig(request);
  const [keys, files] = [describeKeys(loaded), describeFiles(loaded)];
  if (json) {
    const document = { root, keys: keys.map(({ key, value, source }) => ({ key, value, source })), files };
    await writeTo(terminal.output, `${toJsonText(document)}\n`);
    return EXIT.ok;
  }
  const lines = [
    ...toTableLines(keys.map(({ key, shown, source }) => [key, `${shown}  # ${source}`])),
    ...toTableLines([...files.map(({ role, path, status }) => [role, `${path}: ${status}`]), ...describeDoubts(loaded.config).map((doubt) => ['note', doubt])], { indent: '# ' }),
  ];
  await writeTo(terminal.output, `${lines.join('\n')}\n`);
  return EXIT.ok;
}

const EXAMPLES = `
Examples:
  devs config print                              what is in force, and who set it
  devs config trust                              review ./devs.config.json and trust it
  devs config trust --config conf/devs.json      the same for another file of the project
  devs config schema > devs.config.schema.json   for editors`;
