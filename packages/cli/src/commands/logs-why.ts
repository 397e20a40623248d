import { openSqliteAgentLogReader } from '@devs/storage';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { runReading, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { explainRefusal, type Refusal } from '../terminal/refusal.ts';
import { printableLine, toJsonText, writeTo } from '../terminal/terminal.ts';
import { showName } from './logs-format.ts';
import { ID_HELP, noSuchCall } from './logs-show.ts';

/** `devs logs why` on the command line. */
export function addLogsWhy(logs: Command, session: Session): void {
  const why = logs
    .command('why')
    .description('show why a call was refused: the stage, the rule, and what decided')
    .argument('<id>', ID_HELP)
    .option('--json', 'one JSON document', false);
  withPlaceOptions(why).action(async (id: string, options: PlaceOptions & { json: boolean }) =>
    runReading(session, options, (place) => logsWhyCommand(id, options, place)),
  );
}

/** Exit 1 when there is no such call. One that was not refused says so. */
export async function logsWhyCommand(id: string, { json }: { json: boolean }, { state, terminal }: Place): Promise<ExitCode> {
  await using reader = openSqliteAgentLogReader({ file: state.logFile });
  const entry = await reader.get(id);
  if (entry === undefined) throw await noSuchCall(id, state.logFile, reader);
  const { toolName, agentId, status } = entry;
  const refusal = explainRefusal(entry);
  if (json) {
    await writeTo(terminal.output, `${toJsonText({ id: entry.id, toolName, agentId, status, refusal: refusal ?? null })}\n`);
    return EXIT.ok;
  }
  const lines = refusal === undefined ? [`The call ${entry.id} ${ENDED[status]}`] : toLines(refusal, `${showName(toolName)}, called by ${showName(agentId)}`);
  await writeTo(terminal.output, `${lines.map(printableLine).join('\n')}\n`);
  return EXIT.ok;
}

const ENDED = {
  started: 'was not refused: it began, and has not ended.',
  ok: 'was not refused: the tool returned a result.',
  error: 'was not refused: the tool ran and failed.',
  unknown: 'was not refused: it began, and devs ended before it did.',
  denied: 'was refused, and the log gives no reason that this devs knows.',
  withheld: 'ran, and its answer was withheld; the log gives no reason that this devs knows.',
} as const;

function toLines({ stage, doing, code, policy, rule, reason, decidedBy }: Refusal, call: string): readonly string[] {
  const title = (name: string, text: string) => `${name.padEnd(8)}${text}`;
  return [
    title('call', call),
    title('stage', `${stage}: ${doing}`),
    title('code', code),
    title('policy', policy === undefined ? 'none: it did not reach the policy' : `${policy}: it had allowed the call`),
    ...(rule === undefined ? [] : [title('rule', rule)]),
    title('reason', reason),
    ...decidedBy.map(({ what, value }) => title('by', `${what}: ${value}`)),
  ];
}
