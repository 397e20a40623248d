import type { ConfinementReport, DevsCoreConfig, GuaranteeReport, RegisteredTool, SandboxMode } from '@devs/core';
import type { Command } from 'commander';
import { compose } from '../compose.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Place } from '../place.ts';
import { runInPlace, withPlaceOptions, type PlaceOptions, type Session } from '../session.ts';
import { printableLine, toJsonText, writeTo } from '../terminal.ts';
import { describeServers, judgeServers, type JudgedServer } from './doctor-servers.ts';

export interface DoctorOptions {
  readonly json: boolean;
}

/** `devs doctor` on the command line. */
export function addDoctor(program: Command, session: Session): void {
  const command = program
    .command('doctor')
    .description('say what is confined here, what is not, and how to mend it')
    .option('--json', 'one JSON document', false)
    .addHelpText('after', EXAMPLES);
  withPlaceOptions(command).action(async (options: PlaceOptions & DoctorOptions) => runInPlace(session, options, (place) => doctorCommand(options, place)));
}

/** Tries the sandbox out, and says for each tool what holds it. Ends with 1 when a tool that is offered cannot run, or runs in no box. */
export async function doctorCommand({ json }: DoctorOptions, { root, state, config, logKeys, checkServer, isOfProject, terminal }: Place): Promise<ExitCode> {
  await using devs = await compose({ root, state, config, logKeys, checkServer, isOfProject });
  const report = await devs.confinement.probe();
  const mode = config.sandbox.tools;
  const tools = devs.registry.listTools().map((tool) => judgeTool(tool, report, mode));
  const isSafe = tools.every(({ state: found }) => found !== 'unsafe' && found !== 'refused');
  const upstreams = await judgeServers(config.mcpServers, { root, boxes: devs.upstreamBoxes });
  const text = json
    ? toJsonText({ root, state: state.path, safe: isSafe, sandbox: { mode, ...report }, tools, upstreams })
    : describe({ root, stateFolder: state.path, config, report, tools, upstreams, isSafe });
  await writeTo(terminal.output, `${text}\n`);
  return isSafe ? EXIT.ok : EXIT.toolError;
}

interface JudgedTool {
  readonly name: string;
  /** `confined`: in a box. `capabilities`: devs's own code. `off`: nothing is allowed yet. `refused`: no box can be had. `unsafe`: it runs without one. */
  readonly state: 'confined' | 'capabilities' | 'off' | 'refused' | 'unsafe';
  readonly detail: string;
}

function judgeTool({ name, kind = 'in-process', settings }: RegisteredTool, { usable }: ConfinementReport, mode: SandboxMode): JudgedTool {
  if (kind === 'in-process') return { name, state: 'capabilities', detail: 'code of devs, which reaches the project folder and nothing else' };
  if (kind === 'network') {
    const { hosts } = settings.network;
    if (hosts.length === 0) return { name, state: 'off', detail: 'no host is allowed: "network": {"hosts": […]}' };
    return { name, state: 'capabilities', detail: `code of devs, which reaches ${hosts.join(', ')} and nothing else` };
  }
  if (mode === 'off') return { name, state: 'unsafe', detail: 'runs in no box, with all that you may do: "sandbox": {"tools": "off"}' };
  return usable ? { name, state: 'confined', detail: 'each call in a box of its own' } : { name, state: 'refused', detail: 'no box can be had, so calls are refused' };
}

interface Findings {
  readonly root: string;
  readonly stateFolder: string;
  readonly config: DevsCoreConfig;
  readonly report: ConfinementReport;
  readonly tools: readonly JudgedTool[];
  readonly upstreams: readonly JudgedServer[];
  readonly isSafe: boolean;
}

function describe({ root, stateFolder, config, report, tools, upstreams, isSafe }: Findings): string {
  const lines = [
    `Project       ${root}`,
    `State folder  ${stateFolder}`,
    '',
    `Sandbox       ${report.name}${config.sandbox.tools === 'off' ? ', switched off by the operator' : ''}`,
    ...report.guarantees.flatMap(describeGuarantee),
    '',
    'Tools',
    ...tools.map(({ name, state, detail }) => `  ${name.padEnd(16)}  ${state.padEnd(12)}  ${detail}`),
    '',
    'Servers of others',
    ...describeServers(upstreams, config),
    '',
    isSafe ? 'All tools that are offered can run safely.' : 'Not all tools that are offered can run safely.',
  ];
  return lines.map(printableLine).join('\n');
}

function describeGuarantee({ guarantee, state, detail, fix }: GuaranteeReport): readonly string[] {
  const line = `  ${guarantee.padEnd(10)}  ${state.padEnd(8)}  ${detail}`;
  return fix === undefined || state === 'enforced' ? [line] : [line, `  ${''.padEnd(10)}  ${'fix'.padEnd(8)}  ${fix}`];
}

const EXAMPLES = `
Examples:
  devs doctor
  devs doctor --json

Exit codes: 0 every tool that is offered can run safely, 1 one cannot.`;
