// A process that runs one command of devs after the other, as built: the loading of devs, most of what a short command costs, is
// paid once. Started by `warm-devs.ts`, and ends with it.
import { Console } from 'node:console';
import process from 'node:process';
import { PassThrough, Writable } from 'node:stream';
import { runProgram } from '../../dist/program.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

process.on('message', (command) => void run(command));
process.on('disconnect', () => process.exit());
process.send({ ended: {} });

async function run({ args, cwd, env, input }) {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const [stdout, stderr] = [collect('stdout'), collect('stderr')];
  replace('stdin', new PassThrough().end(input));
  // A library that writes to the console would otherwise write past what is collected.
  globalThis.console = new Console(process.stdout, process.stderr);
  const code = await runProgram(args);
  for (const name of SIGNALS) process.removeAllListeners(name);
  process.send({ ended: { code, stdout: stdout.join(''), stderr: stderr.join('') } });
}

/** What is written to a stream of this process from now on. */
function collect(name) {
  const written = [];
  const decoder = new TextDecoder();
  const write = (chunk, _encoding, done) => {
    written.push(decoder.decode(chunk, { stream: true }));
    done();
  };
  replace(name, new Writable({ write }));
  return written;
}

function replace(name, value) {
  Object.defineProperty(process, name, { value, configurable: true });
}
