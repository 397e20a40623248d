import type { ConfinementReport, DevsCoreConfig, GuaranteeReport, RegisteredTool, SandboxMode } from '@devs/core';
import type { Command } from 'commander';
import type { ProjectBoxes } from '@devs/sandbox';
import { compose } from '../compose.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { runInPlace, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { toTableLines } from '../terminal/table.ts';
import { printableLine, toJsonText, writeTo } from '../terminal/terminal.ts';
import { describeWritableFiles, listWritableFiles } from './doctor-files.ts';
import { describeLinkedFiles, listLinkedFiles } from './doctor-linked.ts';
import { describeLog, judgeLog, type JudgedLog } from './doctor-log.ts';
import { describeServers, judgeServers, type JudgedServer } from './doctor-servers.ts';
import { summarize, type JudgedTool } from './doctor-summary.ts';
import { showsProject } from './sandbox-notice.ts';

export interface DoctorOptions {
  readonly json: boolean;
}

/** `devs doctor` on the command line. */
export function addDoctor(program: Command, session: Session): void {
  const command = program
    .command('doctor')
    .description('show what is confined here, what is not, and how to fix it')
    .option('--json', 'one JSON document', false)
    .addHelpText('after', EXAMPLES);
  withPlaceOptions(command).action(async (options: PlaceOptions & DoctorOptions) => runInPlace(session, options, (place) => doctorCommand(options, place)));
}

/** Tries the sandbox out, and says for each tool and server what holds it. Ends with 1 when one would run in no box, or is refused. */
export async function doctorCommand({ json }: DoctorOptions, { root, state, config, logKeys, checkServer, isOfProject, terminal }: Place): Promise<ExitCode> {
  await using devs = await compose({ root, state, config, logKeys, checkServer, isOfProject });
  const report = await devs.confinement.probe();
  const mode = config.sandbox.tools;
  // Those of servers are judged with their servers.
  const own = devs.registry.listTools().filter(({ kind }) => kind !== 'upstream');
  const tools = await Promise.all(own.map(async (tool) => judgeTool(tool, { report, mode, findObstacle: devs.findObstacle })));
  const upstreams = await judgeServers(config.mcpServers, { root, boxes: devs.upstreamBoxes });
  const linkedFiles = report.usable && mode !== 'off' ? await listLinkedFiles(root, devs.findLinked) : [];
  const log = judgeLog(state.logFile, config);
  // The operator may have switched off the boxes of commands, and those of servers not.
  const boxes = mode === 'off' ? await devs.upstreamBoxes.probe() : report;
  const { sentences, ...summary } = summarize({ boxes, tools, servers: upstreams });
  const text = json
    ? toJsonText({ root, state: state.path, ...summary, sandbox: { mode, ...report }, tools, upstreams, writableFiles: listWritableFiles(config), linkedFiles, log })
    : describe({ root, stateFolder: state.path, config, report, boxes, tools, upstreams, linkedFiles, sentences, log });
  await writeTo(terminal.output, `${text}\n`);
  return summary.confined ? EXIT.ok : EXIT.toolError;
}

interface Boxes {
  readonly report: ConfinementReport;
  readonly mode: SandboxMode;
  readonly findObstacle: ProjectBoxes['findObstacle'];
}

async function judgeTool({ name, kind = 'in-process', settings }: RegisteredTool, { report, mode, findObstacle }: Boxes): Promise<JudgedTool> {
  if (kind === 'in-process') return { name, state: 'capabilities', detail: 'code of devs, which reaches only the project folder' };
  if (kind === 'network') {
    const { hosts } = settings.network;
    if (hosts.length === 0) return { name, state: 'off', detail: 'no host is allowed: "network": {"hosts": […]}' };
    return { name, state: 'capabilities', detail: `code of devs, which reaches only ${hosts.join(', ')}` };
  }
  if (mode === 'off') return { name, state: 'unsafe', detail: 'runs without a sandbox, with your own permissions: "sandbox": {"tools": "off"}' };
  if (!report.usable) return { name, state: 'refused', detail: 'no sandbox is available, so calls are refused' };
  const obstacle = showsProject(kind) ? await findObstacle(settings) : undefined;
  if (obstacle !== undefined) return { name, state: 'refused', detail: obstacle.sentence, fix: obstacle.fix };
  return { name, state: 'confined', detail: 'each call in its own sandbox' };
}

interface Findings {
  readonly root: string;
  readonly stateFolder: string;
  readonly config: DevsCoreConfig;
  readonly report: ConfinementReport;
  readonly tools: readonly JudgedTool[];
  readonly boxes: ConfinementReport;
  readonly upstreams: readonly JudgedServer[];
  readonly linkedFiles: readonly string[];
  readonly sentences: readonly string[];
  readonly log: JudgedLog;
}

function describe({ root, stateFolder, config, report, boxes, tools, upstreams, linkedFiles, sentences, log }: Findings): string {
  const lines = [
    `Project       ${root}`,
    `State folder  ${stateFolder}`,
    ...describeLog(log),
    '',
    `Sandbox       ${report.name}${config.sandbox.tools === 'off' ? ', switched off by the operator' : ''}`,
    ...toTableLines(report.guarantees.flatMap(toGuaranteeRows), { indent: '  ' }),
    '',
    'Tools',
    ...toTableLines(tools.flatMap(toToolRows), { indent: '  ' }),
    '',
    'Upstream servers',
    ...describeServers(upstreams, config, boxes),
    '',
    'Files that start programs, and that tools may write',
    ...describeWritableFiles(listWritableFiles(config)),
    '',
    ...describeLinkedFiles(linkedFiles),
    ...sentences,
    'devs doctor started no server.',
  ];
  return lines.map(printableLine).join('\n');
}

function toToolRows({ name, state, detail, fix }: JudgedTool): readonly (readonly string[])[] {
  return [[name, state, detail], ...(fix === undefined ? [] : [['', 'fix', fix]])];
}

function toGuaranteeRows({ guarantee, state, detail, fix }: GuaranteeReport): readonly (readonly string[])[] {
  return [[guarantee, state, detail], ...(fix === undefined || state === 'enforced' ? [] : [['', 'fix', fix]])];
}

const EXAMPLES = `
Examples:
  devs doctor
  devs doctor --json

Exit codes: 0 everything that devs starts would run in a sandbox, 1 a tool or a server would run without one, or is refused.`;
