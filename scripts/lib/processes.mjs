import { spawn } from 'node:child_process';
import os from 'node:os';
import process from 'node:process';

/** Status goes to stderr: stdout belongs to the program that is started. */
export function report(text) {
  process.stderr.write(`devs: ${text}\n`);
}

export function exitCodeOf(code, signal) {
  return code ?? 128 + (os.constants.signals[signal] ?? 0);
}

function finished(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(exitCodeOf(code, signal)));
  });
}

/** Runs a command with the caller's terminal. Resolves to its exit code; 128 + n after signal n. */
export async function runVisibly(command, options) {
  const [program, ...rest] = command;
  const child = spawn(program, rest, { stdio: 'inherit', ...options });
  const stopForwarding = forwardSignals(child);
  try {
    return await finished(child);
  } finally {
    stopForwarding();
  }
}

/** Runs a command in silence. What it said comes out only when it fails. */
export async function runQuietly(command, options) {
  const [program, ...rest] = command;
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const said = [];
  child.stdout.on('data', (chunk) => said.push(chunk));
  child.stderr.on('data', (chunk) => said.push(chunk));
  const stopForwarding = forwardSignals(child);
  try {
    const code = await finished(child);
    if (code !== 0) process.stderr.write(Buffer.concat(said));
    return code;
  } finally {
    stopForwarding();
  }
}

/**
 * A signal sent to this process alone must reach the child, and this process must outlive it to hand
 * back its exit code. Ctrl-C on a terminal is different: the terminal tells the whole process group,
 * and a second copy would look like an impatient second Ctrl-C.
 */
export function forwardSignals(child) {
  const handlers = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => {
    const onSignal = () => {
      if (signal === 'SIGINT' && process.stdin.isTTY) return;
      child.kill(signal);
    };
    process.on(signal, onSignal);
    return [signal, onSignal];
  });
  return () => {
    for (const [signal, onSignal] of handlers) process.off(signal, onSignal);
  };
}

/** Each step, also after one that failed; but nothing more after an interrupt. Resolves to the highest exit code. */
export async function worst(steps) {
  let code = 0;
  for (const step of steps) {
    if (code <= 128) code = Math.max(code, await step());
  }
  return code;
}

/** The outermost frame of a script: an expected failure is a sentence, not a stack. */
export async function main(work) {
  try {
    process.exitCode = await work();
  } catch (error) {
    report(error.message);
    process.exitCode = 1;
  }
}
