import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BubblewrapConfinement, findParts } from '../../packages/sandbox/dist/confinement/bubblewrap-confinement.js';
import { FD } from '../../packages/sandbox/dist/confinement/bubblewrap-arguments.js';
import { architectureOf } from '../../packages/sandbox/dist/confinement/seccomp/system-calls.js';
import { compare, toLines } from '../harness.mjs';

const ROUNDS = 9;
const CALLS = 40;
const NEVER = new AbortController().signal;
const LIMITS = { wallMs: 60_000, outputBytes: 1_000_000, memoryBytes: 2_147_483_648, processes: 256, fileBytes: 100_000_000, openFiles: 1_024 };

/** A confined `true`, against bwrap with the same flags and nothing around it, and against `true` alone. */
export async function measureBox() {
  const root = mkdtempSync(path.join(tmpdir(), 'devs-bench-box-'));
  try {
    const parts = findParts({ root });
    if ('fix' in parts) throw new Error(`${parts.detail}. ${parts.fix}`);
    const confinement = new BubblewrapConfinement({ root });
    const request = { argv: ['/usr/bin/true'], cwd: root, env: {}, mounts: [{ source: root, access: 'write' }], hosts: [], limits: LIMITS };
    const bare = bareBox(request, parts);
    const contenders = [
      { name: 'bwrap with the same flags', measure: async () => timeEach(bare) },
      { name: 'true, without a box', measure: async () => timeEach(async () => ended('/usr/bin/true', [], ['ignore', 'pipe', 'pipe'])) },
      { name: 'a box of devs', measure: async () => timeEach(async () => requireCode(await confinement.exec(request, { signal: NEVER, keepBytes: 1_000 }))) },
    ];
    // Unmeasured: the probe, and what a process does once.
    for (const { measure } of contenders) await measure();
    const lines = toLines(await compare(contenders, ROUNDS));
    return { id: 'B1', title: 'true, started and ended in a box', against: 'bwrap with the same flags, started by Node', goal: '<= 1.3 x', lines };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** bwrap as devs calls it, without control groups, pipes of its own, and a look at what was left. */
function bareBox(request, { bubblewrap, prlimit, profile }) {
  const flags = profile.toArguments(request, [{ ...request.mounts[0], fd: undefined }]);
  const words = flags.map((flag, index) => (flags[index - 1] === '--json-status-fd' ? '2' : flag));
  const folder = mkdtempSync(path.join(request.cwd, 'flags-'));
  const [args, filter] = ['args', 'filter'].map((name) => path.join(folder, name));
  writeFileSync(args, `${words.join('\0')}\0`);
  writeFileSync(filter, profile.createFilter(architectureOf(process.arch), {}));
  const command = profile.toCommandLine(request, prlimit);
  // Without the question whether devs is there: nobody would answer it.
  const plain = command.toSpliced(command.indexOf('/bin/sh'), 4);
  return async () => {
    const given = [args, filter].map((file) => openSync(file, 'r'));
    try {
      const stdio = ['ignore', 'pipe', 'pipe', 'ignore', ...given];
      await ended(bubblewrap, ['--args', String(FD.args), '--', ...plain], stdio);
    } finally {
      given.forEach((fd) => closeSync(fd));
    }
  };
}

async function ended(file, args, stdio) {
  const child = spawn(file, args, { env: {}, cwd: '/', stdio });
  for (const stream of [child.stdout, child.stderr]) stream.resume();
  await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${file} ended with ${code}`))));
  });
}

function requireCode({ exit }) {
  if (exit.kind !== 'code' || exit.code !== 0) throw new Error(`the box ended with ${JSON.stringify(exit)}`);
}

async function timeEach(once) {
  const begin = performance.now();
  for (let call = 0; call < CALLS; call += 1) await once();
  return ((performance.now() - begin) * 1_000) / CALLS;
}
