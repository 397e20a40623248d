/** What a box has let its probe do: each is true when it held. */
export interface ProbeFindings {
  readonly writesNothingOutside: boolean;
  readonly readsNothingOutside: boolean;
  readonly systemIsReadOnly: boolean;
  readonly kernelSettingsAreReadOnly: boolean;
  readonly reachesNoHost: boolean;
  readonly hasNoUnixSockets: boolean;
  readonly seesNoForeignProcess: boolean;
  readonly hasNoCapabilities: boolean;
  readonly isFiltered: boolean;
  readonly makesNoNamespaces: boolean;
  /** Looked for from outside. */
  readonly leavesNothingBehind: boolean;
}

/** Names of the findings, to be all asked for. */
export const FINDINGS = [
  'writesNothingOutside',
  'readsNothingOutside',
  'systemIsReadOnly',
  'kernelSettingsAreReadOnly',
  'reachesNoHost',
  'hasNoUnixSockets',
  'seesNoForeignProcess',
  'hasNoCapabilities',
  'isFiltered',
  'makesNoNamespaces',
  'leavesNothingBehind',
] as const satisfies readonly (keyof ProbeFindings)[];

/**
 * Runs in a box and tries to get out of it; prints one line of JSON. Told in its arguments: a file outside, and the port of
 * a server outside. Plain JavaScript without a dependency: nothing but Node is there. What it cannot find out is false.
 */
export const PROBE_SCRIPT = `
'use strict';
const fs = require('node:fs');
const net = require('node:net');
const { spawn, spawnSync } = require('node:child_process');
const [outside, port, pid] = process.argv.slice(1);
const fails = (work) => { try { work(); return false; } catch { return true; } };
const cannotWrite = (file) => fails(() => fs.closeSync(fs.openSync(file, fs.constants.O_WRONLY)));
const refused = (options, codes) => new Promise((resolve) => {
  const socket = net.connect(options);
  socket.once('connect', () => { socket.destroy(); resolve(false); });
  socket.once('error', ({ code }) => resolve(codes.includes(code)));
});
const status = fs.readFileSync('/proc/self/status', 'utf8');
const field = (name) => new RegExp('^' + name + ':\\\\s*(\\\\S+)', 'm').exec(status)?.[1];
const main = async () => {
  // What it leaves behind must not outlive it: it is looked for afterwards, by the name of the file outside.
  spawn('/bin/sh', ['-c', 'sleep 60; true', outside], { detached: true, stdio: 'ignore' }).unref();
  const findings = {
    writesNothingOutside: fails(() => fs.writeFileSync(outside, 'x')) && fails(() => fs.writeFileSync('/devs-probe', 'x')),
    readsNothingOutside: fails(() => fs.readFileSync(outside)) && fails(() => fs.readFileSync('/etc/shadow')),
    systemIsReadOnly: fails(() => fs.writeFileSync('/usr/devs-probe', 'x')) && fails(() => fs.writeFileSync('/dev/devs-probe', 'x')),
    kernelSettingsAreReadOnly: ['core_pattern', 'hostname', 'modprobe'].every((name) => cannotWrite('/proc/sys/kernel/' + name)),
    reachesNoHost: await refused({ host: '127.0.0.1', port: Number(port) }, ['ECONNREFUSED', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL']),
    hasNoUnixSockets: await refused({ path: '/tmp/devs-probe' }, ['EAFNOSUPPORT']),
    // A small number may be one of the box's own.
    seesNoForeignProcess: (Number(pid) < 100 || fails(() => process.kill(Number(pid), 0))) && fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length < 10,
    hasNoCapabilities: ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].every((name) => /^0+$/.test(field(name))) && field('NoNewPrivs') === '1',
    isFiltered: field('Seccomp') === '2',
    makesNoNamespaces: spawnSync('/usr/bin/unshare', ['--user', 'true']).status !== 0,
  };
  fs.writeSync(1, JSON.stringify(findings) + '\\n', null);
};
main();
`;
