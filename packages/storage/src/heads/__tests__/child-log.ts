import fs from 'node:fs';
import process from 'node:process';
import { callId, recordOf } from '../../__tests__/fixtures.ts';
import { openSqliteAgentLogs } from '../../index.ts';
import { HeadKeeper } from '../head-keeper.ts';
import { openSigningKey } from '../signing-key.ts';

// Writes calls to a log that is signed at every second record, and prints the id of each when it is acknowledged. Killed
// by itself at a point of the way of a head, when one is named: `die` at its `nth` time.
const [, , log, keyFile, folder, name, count, die = '', nth = '1'] = process.argv as string[];

const kill = () => {
  process.kill(process.pid, 'SIGKILL');
  // Until the signal is there.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};
let times = 0;
const isTime = (file: unknown) => String(file).startsWith(String(folder)) && (times += 1) === Number(nth);

/** Puts the end of the process before or after one of the steps of which remembering a head is made. */
const { renameSync, fsyncSync, writeFileSync } = fs;
if (die === 'before rename') fs.renameSync = (from, to) => (isTime(to) ? kill() : renameSync(from, to));
if (die === 'after rename') {
  fs.renameSync = (from, to) => {
    renameSync(from, to);
    if (isTime(to)) kill();
  };
}
if (die === 'half written') {
  fs.writeFileSync = (file, text) => {
    const isHead = typeof text === 'string' && text.startsWith('{"head"');
    writeFileSync(file, isHead && (times += 1) === Number(nth) ? text.slice(0, 40) : text);
    if (isHead && times === Number(nth)) kill();
  };
}
if (die === 'before fsync') fs.fsyncSync = (descriptor) => ((times += 1) === Number(nth) ? kill() : fsyncSync(descriptor));

class Dying extends HeadKeeper {
  override sign(...[chain]: Parameters<HeadKeeper['sign']>) {
    const signed = super.sign(chain);
    // It is remembered, and its record is not in the log.
    if (die === 'before its record' && signed !== undefined && (times += 1) === Number(nth)) kill();
    return signed;
  }
}

const heads = new Dying({ key: openSigningKey(String(keyFile)), folder: String(folder), log: String(log), everyRecords: 1, everySeconds: 300 });
const logs = openSqliteAgentLogs({ file: String(log), durability: 'process', heads });
for (let number = 0; number < Number(count); number += 1) {
  const id = `${callId(number)}-${name}`;
  await logs.append(recordOf({ id }));
  fs.writeSync(1, `${id}\n`);
  // Heads are signed between calls.
  await new Promise((resolve) => setImmediate(resolve));
}
await logs.close();
