import { destination, pino, type Level, type Logger } from 'pino';
import type { LogFields, StructuredLogger } from './structured-logger.ts';

export interface PinoLoggerOptions {
  /** Least level that is written. Default `warn`. */
  readonly level?: Level | 'silent';
  /** File descriptor. Default 2: standard output belongs to the data and to the protocol. */
  readonly fd?: number;
}

/**
 * Diagnostics as JSON lines. Synchronous: after a SIGKILL an asynchronous destination has lost its
 * last lines, and those are the ones that tell why.
 */
export function createPinoLogger(options: PinoLoggerOptions = {}): StructuredLogger {
  const stream = destination({ dest: options.fd ?? 2, sync: true });
  // A reader that went away (EPIPE) must not take the gate down with it.
  stream.on('error', () => undefined);
  return fromPino(pino({ base: null, level: options.level ?? 'warn' }, stream));
}

function fromPino(logger: Logger): StructuredLogger {
  const at = (level: Level) => (event: string, fields: LogFields = {}) => {
    logger[level]({ ...fields, event });
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
