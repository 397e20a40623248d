export type LineLevel = 'debug' | 'info' | 'warn' | 'error';

export type LogFields = { readonly [key: string]: unknown };

/**
 * Diagnostics: what an operator reads when something is wrong. Never the evidence, and never the
 * place for arguments or results. Implementations must not throw.
 */
export interface StructuredLogger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** False: lines of this level go nowhere, so nobody has to make them. Absent: all are written. */
  writes?(level: LineLevel): boolean;
}

function ignore(): void {}

/**
 * Says nothing. The default of every part that takes a logger.
 * @example
 * ```ts
 * import { silentLogger } from '@devs/core';
 * silentLogger.error({ code: 'EXAMPLE' }, 'nobody reads this');
 * ```
 */
export const silentLogger: StructuredLogger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** The logger with its failures swallowed: a full disk under the diagnostics must not decide how a call ends. */
export function neverThrowing(logger: StructuredLogger): StructuredLogger {
  const at = (level: LineLevel) => (event: string, fields?: LogFields) => {
    try {
      logger[level](event, fields);
    } catch {
      // There is nowhere left to say it.
    }
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
