import { constants, open } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ReadStream, WriteStream } from 'node:tty';

/**
 * The terminal itself, so that what is piped into a command is no answer. It proves no person: a program can make itself a
 * terminal (`script`, `expect`), and a process that runs as the user in no box can do what the user can.
 */
export interface ControllingTerminal extends Disposable {
  show(lines: readonly string[]): Promise<void>;
  /** One typed line. Undefined when there was none: the end of input, or a stop. */
  ask(question: string, stop: AbortSignal): Promise<string | undefined>;
}

/** Undefined when the process has no terminal: started by an agent, by a client, or on a machine of a pipeline. */
export async function openControllingTerminal(): Promise<ControllingTerminal | undefined> {
  const [reading, writing] = await Promise.all([openTerminal(constants.O_RDONLY), openTerminal(constants.O_WRONLY)]);
  if (reading === undefined || writing === undefined) return undefined;
  const [input, output] = [new ReadStream(reading), new WriteStream(writing)];
  for (const stream of [input, output]) stream.on('error', () => undefined);
  return {
    show: async (lines) => new Promise((resolve) => output.write(`${lines.join('\n')}\n`, () => resolve())),
    ask: async (question, stop) => {
      const reader = createInterface({ input, output, terminal: false });
      const ended = new Promise<undefined>((resolve) => reader.once('close', () => resolve(undefined)));
      // An aborted question rejects; that is no answer.
      const answer = reader.question(question, { signal: stop }).catch(() => undefined);
      const typed = await Promise.race([answer, ended]);
      reader.close();
      return typed;
    },
    [Symbol.dispose]: () => {
      for (const stream of [input, output]) stream.destroy();
    },
  };
}

/** A descriptor for a stream to own; two, so that neither closes the other's. */
async function openTerminal(access: number): Promise<number | undefined> {
  return new Promise((resolve) => open('/dev/tty', access | constants.O_NOCTTY, (error, descriptor) => resolve(error ? undefined : descriptor)));
}
