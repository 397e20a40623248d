/** What `devs` ends with. Listed in `docs/reference/command-line.md`. */
export const EXIT = {
  ok: 0,
  /** The tool ran and failed; or, of other commands, what was asked for is not there. */
  toolError: 1,
  /** devs refused the call. */
  refused: 2,
  /** The command line cannot be understood. */
  usage: 64,
  /** A port is taken, Node is too old, or an API does not answer. */
  unavailable: 69,
  /** A fault of devs's own. */
  internal: 70,
  /** The configuration or the state folder cannot be used. */
  configuration: 78,
  /** Stopped from the keyboard: 128 and the number of the signal, as shells have it. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with a sentence and a code; never shown with a stack. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
  }
}
