import process from 'node:process';
import { destination, pino, type DestinationStream, type Level, type Logger } from 'pino';
import type { LineLevel, LogFields, StructuredLogger } from './structured-logger.ts';

export interface PinoLoggerOptions {
  /** Least level that is written. Default `warn`. */
  readonly level?: Level | 'silent';
  /** A file's descriptor, written synchronously. */
  readonly fd?: number;
  /** Default, without `fd`: standard error. Standard output belongs to the data and to the protocol. */
  readonly stream?: LogStream;
}

export interface LogStream {
  write(text: string): unknown;
  /** Bytes or characters that are waiting for a reader. */
  readonly writableLength: number;
}

const MOST_WAITING = 65_536;

/** Diagnostics as JSON lines, each written at once: the last lines before a crash are the ones that tell why. */
export function createPinoLogger(options: PinoLoggerOptions = {}): StructuredLogger {
  const stream = options.fd === undefined ? bounded(options.stream ?? process.stderr) : toFile(options.fd);
  return fromPino(pino({ base: null, level: options.level ?? 'warn' }, stream));
}

function toFile(fd: number): DestinationStream {
  const stream = destination({ dest: fd, sync: true });
  // A reader that went away (EPIPE) must not take the gate down with it.
  stream.on('error', () => undefined);
  return stream;
}

/**
 * A client that starts devs and never reads its standard error fills the pipe, and an agent can make
 * lines: a write that waits for the reader would stop the whole gate. What does not fit is counted.
 */
function bounded(stream: LogStream): DestinationStream {
  let dropped = 0;
  return {
    write: (line) => {
      if (stream.writableLength > MOST_WAITING) {
        dropped += 1;
        return;
      }
      if (dropped > 0) stream.write(`${JSON.stringify({ level: 40, event: 'LOG_LINES_DROPPED', dropped })}\n`);
      dropped = 0;
      stream.write(line);
    },
  };
}

function fromPino(logger: Logger): StructuredLogger {
  const at = (level: Level) => (event: string, fields: LogFields = {}) => {
    logger[level]({ ...fields, event });
  };
  const writes = (level: LineLevel) => logger.isLevelEnabled(level);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), writes };
}
