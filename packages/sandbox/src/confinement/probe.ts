import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { describeCause, type ConfinementReport, type Enforcement, type GuaranteeReport, type ProcessLimits, type ProcessOutcome } from '@devs/core';
import type { BoxStarter } from './box-starter.ts';
import { collect } from './collect.ts';
import { describeFailure } from './failure.ts';
import { allReports, isUsable, toEnforcement } from './guarantees.ts';
import { FINDINGS, PROBE_SCRIPT, type ProbeFindings } from './probe-script.ts';
import { runtimeMounts } from './runtime-mounts.ts';
import { ShortFolder } from './short-folder.ts';

export interface ProbeParts {
  readonly name: string;
  readonly starter: BoxStarter;
  /** Why memory and processes are not counted together; empty when they are. */
  readonly groupObstacle: string;
}

const LIMITS: ProcessLimits = {
  wallMs: 30_000,
  outputBytes: 65_536,
  memoryBytes: 2_147_483_648,
  processes: 64,
  fileBytes: 1_048_576,
  openFiles: 256,
};

/** Of which findings each guarantee is made. */
const MADE_OF = {
  files: ['writesNothingOutside', 'readsNothingOutside', 'systemIsReadOnly', 'kernelSettingsAreReadOnly'],
  network: ['reachesNoHost', 'hasNoUnixSockets'],
  processes: ['seesNoForeignProcess', 'leavesNothingBehind'],
  privilege: ['hasNoCapabilities', 'isFiltered', 'makesNoNamespaces'],
} as const satisfies Record<string, readonly (keyof ProbeFindings)[]>;

/** Tries to break out of a box as calls get it. What cannot be tried is not enforced. Never throws. */
export async function probeBoxes(parts: ProbeParts): Promise<ConfinementReport> {
  const guarantees = await tryOut(parts).catch((cause: unknown) =>
    allReports({ state: 'absent', detail: `the probe failed: ${describeCause(cause)}`, fix: 'Make the folder for temporary files writable' }),
  );
  return { name: parts.name, usable: isUsable(guarantees), enforcement: toEnforcement(parts.name, guarantees), guarantees };
}

async function tryOut({ name, starter, groupObstacle }: ProbeParts): Promise<readonly GuaranteeReport[]> {
  const { server, port } = await listen();
  const folder = new ShortFolder('probe');
  const outside = path.join(folder.path, 'outside');
  const cleanUp = () => folder[Symbol.dispose]();
  // A devs that is asked to end while it begins leaves nothing either.
  process.once('exit', cleanUp);
  try {
    writeFileSync(outside, '');
    const outcome = await runProbe(starter, { by: name, guarantees: [] }, [outside, String(port), String(process.pid)]);
    const findings = readFindings(outcome);
    if (findings === undefined) return allReports({ state: 'absent', ...describeFailure(wordsOf(outcome)) });
    // Not only by the word of who was in the box.
    const writesNothingOutside = findings.writesNothingOutside && readFileSync(outside, 'utf8') === '';
    return judge({ ...findings, writesNothingOutside, leavesNothingBehind: endLeftBehind(outside) === 0 }, groupObstacle);
  } finally {
    server.close();
    process.off('exit', cleanUp);
    cleanUp();
  }
}

async function runProbe(starter: BoxStarter, enforcement: Enforcement, words: readonly string[]): Promise<ProcessOutcome> {
  const running = await starter.start(
    {
      argv: [process.execPath, '-e', PROBE_SCRIPT, ...words],
      cwd: '/tmp',
      env: {},
      mounts: runtimeMounts(process.execPath),
      hosts: [],
      limits: LIMITS,
    },
    { enforcement, input: '' },
  );
  return collect(running, { signal: new AbortController().signal, keepBytes: LIMITS.outputBytes });
}

/** Ends what a box has left running that has this text in its command line. @returns how many there were */
function endLeftBehind(text: string): number {
  const left = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandLineOf(name).includes(text));
  for (const pid of left) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It was there, and has ended meanwhile.
    }
  }
  return left.length;
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function readFindings({ exit, stdout }: ProcessOutcome): ProbeFindings | undefined {
  if (exit.kind !== 'code' || exit.code !== 0) return undefined;
  try {
    const said: unknown = JSON.parse(Buffer.from(stdout.head).toString('utf8'));
    const held = (finding: string) => typeof said === 'object' && said !== null && Reflect.get(said, finding) === true;
    return Object.fromEntries(FINDINGS.map((finding) => [finding, held(finding)])) as unknown as ProbeFindings;
  } catch {
    return undefined;
  }
}

function wordsOf({ exit, stderr }: ProcessOutcome): string {
  const words = Buffer.from(stderr.head).toString('utf8');
  return words === '' ? JSON.stringify(exit) : words;
}

function judge(findings: ProbeFindings, groupObstacle: string): readonly GuaranteeReport[] {
  const report = (guarantee: keyof typeof MADE_OF, how: string): GuaranteeReport => {
    const broken = MADE_OF[guarantee].filter((finding) => !findings[finding]);
    if (broken.length === 0) return { guarantee, state: 'enforced', detail: how };
    return { guarantee, state: 'absent', detail: `a process escaped its sandbox: ${broken.join(', ')} does not hold`, fix: 'Report this: the sandbox of devs does not hold on this machine' };
  };
  return [
    report('files', 'mount namespace: only the project is writable, and only it and programs are there'),
    report('network', 'network namespace and seccomp: no host, no Unix socket, no vsock'),
    report('processes', 'process namespace: it sees its own alone, and all of them end with the call'),
    memoryReport(groupObstacle),
    report('privilege', 'no capabilities, no new privileges, a seccomp filter, no user namespaces within'),
  ];
}

function memoryReport(groupObstacle: string): GuaranteeReport {
  const guarantee = 'memory';
  if (groupObstacle === '') return { guarantee, state: 'enforced', detail: 'control groups count memory and processes of a sandbox together' };
  return {
    guarantee,
    state: 'partial',
    detail: `each process by itself is limited, all of them together are not: ${groupObstacle}`,
    fix: 'Run devs where it may make control groups: systemd-run --user --scope -p Delegate=yes devs serve',
  };
}

async function listen(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}
