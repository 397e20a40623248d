// child-archive.ts <folder> <day> <payloadDays> <keepDays> [<step>]: archives the log of a place, and kills itself after a step.
import process from 'node:process';
import { archiverOf } from './archiver.ts';

const [folder = '', day = '0', payloadDays = '0', keepDays = '1', step = ''] = process.argv.slice(2);
const onStep = (done: string) => {
  if (done === step) process.kill(process.pid, 'SIGKILL');
};
const report = await archiverOf(folder, Number(day), { onStep }).run({ payloadDays: Number(payloadDays), keepDays: Number(keepDays) });
process.stdout.write(JSON.stringify(report));
