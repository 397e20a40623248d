import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { describeCause } from '@devs/core';
import type { Attack, AttackGroup, Finding, Stage } from '@devs/demo';
import { openSqliteAgentLogReader } from '@devs/storage';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Session } from '../session.ts';
import { toJsonText, writeTo, type Terminal } from '../terminal/terminal.ts';
import { SHOWN_ID } from './logs-format.ts';

export interface DemoOptions {
  readonly json: boolean;
  /** Every hostile server of the family, also those that take their time. */
  readonly all: boolean;
  /** Throw the folder away at the end, its log too. */
  readonly discard: boolean;
}

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/** `devs demo` on the command line. It has a place of its own, so it asks for none. */
export function addDemo(program: Command, session: Session): void {
  program
    .command('demo')
    .description('attack a separate devs and show what stops each attack; exit 1 when one gets through')
    .option('--json', 'one JSON object a line', false)
    .option('--all', 'each of the hostile servers, slow ones too: some minutes', false)
    .option('--discard', 'delete the folder of the demo at the end, its call log too', false)
    .action(async (options: DemoOptions) => {
      session.exitCode = await demoCommand(options, session);
    });
}

/** Attacks a devs of its own with all that it can stop. Exit 1 when anything got through. */
async function demoCommand(options: DemoOptions, { terminal, stop }: Session): Promise<ExitCode> {
  const start = performance.now();
  const { attackGroups, Stage } = await import('@devs/demo');
  await using stage = await Stage.create({ main: MAIN, openLog: openSqliteAgentLogReader, discard: options.discard });
  const groups = attackGroups(options.all);
  const width = Math.max(...groups.flatMap(({ attacks }) => attacks.map(({ title }) => title.length)));
  const findings: Finding[] = [];
  for (const group of groups) {
    if (!options.json) await writeTo(terminal.output, `\n${group.title}\n`);
    for await (const [attack, finding] of carryOutAll(group, stage)) {
      if (stop.aborted) return EXIT.toolError;
      findings.push(finding);
      await writeTo(terminal.output, options.json ? toJsonLine(group, attack, finding) : toLine(attack, finding, { terminal, width }));
    }
  }
  const held = findings.filter((finding) => finding.held).length;
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  await writeTo(terminal.status, `\n${findings.length} attacks, ${held} stopped, in ${seconds} s.\n${whereToLook(stage, options)}`);
  return held === findings.length ? EXIT.ok : EXIT.toolError;
}

/** In the order of the group, whichever of them ends first; none is left running when whoever reads them goes. */
async function* carryOutAll({ attacks, atOnce = 1 }: AttackGroup, stage: Stage): AsyncGenerator<readonly [Attack, Finding]> {
  const begun: (readonly [Attack, Promise<Finding>])[] = [];
  try {
    for (const [index, attack] of attacks.entries()) {
      for (const next of attacks.slice(begun.length, index + atOnce)) begun.push([next, carryOut(next, stage)]);
      const finding = await begun[index]?.[1];
      if (finding !== undefined) yield [attack, finding];
    }
  } finally {
    await Promise.all(begun.map(async ([, finding]) => finding));
  }
}

/** An attack that cannot be carried out has shown nothing. */
async function carryOut(attack: Attack, stage: Stage): Promise<Finding> {
  try {
    return await attack.run(stage);
  } catch (cause) {
    return { held: false, stoppedBy: `could not be carried out: ${describeCause(cause).slice(0, 200)}`, callId: null };
  }
}

interface Table {
  readonly terminal: Terminal;
  /** Characters of the longest title. */
  readonly width: number;
}

function toLine({ title }: Attack, { held, stoppedBy, callId }: Finding, { terminal: { output }, width }: Table): string {
  const verdict = held ? styleText('green', 'stopped ', { stream: output }) : styleText('red', 'NOT HELD', { stream: output });
  const id = callId === null ? 'no call' : callId.slice(0, SHOWN_ID);
  return `  ${verdict}  ${title.padEnd(width)}  ${id.padEnd(SHOWN_ID)}  ${stoppedBy}\n`;
}

function toJsonLine({ title: group }: AttackGroup, { title }: Attack, { held, stoppedBy, callId }: Finding): string {
  return `${toJsonText({ group, title, held, stoppedBy, callId })}\n`;
}

function whereToLook({ state, root }: Stage, { discard }: DemoOptions): string {
  return discard ? '' : `Look at one of them: DEVS_STATE_DIR='${state}' devs logs show <id> --root '${root}'\n`;
}
