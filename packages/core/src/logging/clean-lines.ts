import type { LineLevel, LogFields, StructuredLogger } from './structured-logger.ts';

/** Deeper than any line that devs writes. */
const MAX_LEVELS = 5;
const LEFT_OUT = '[left out: it could not be cleaned]';

/**
 * The logger with every text of a line as `clean` gives it: an error that quotes a server, or a name that a client
 * made up, must not draw on the operator's terminal, nor leave a secret in the diagnostics. A text that cannot be
 * cleaned is left out.
 */
export function withCleanLines(logger: StructuredLogger, clean: (text: string) => string): StructuredLogger {
  const at = (level: LineLevel) => (event: string, fields: LogFields = {}) => {
    // Most calls write no line at all: cleaning what nobody reads was a quarter of what a call allocates.
    if (logger.writes?.(level) === false) return;
    logger[level](event, cleanMembers(fields, { clean, levels: MAX_LEVELS }));
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

interface Cleaning {
  readonly clean: (text: string) => string;
  readonly levels: number;
}

function cleanMembers(fields: object, cleaning: Cleaning): LogFields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [cleanText(name, cleaning), cleanValue(value, cleaning)]));
}

function cleanValue(value: unknown, { clean, levels }: Cleaning): unknown {
  if (typeof value === 'string') return cleanText(value, { clean, levels });
  if (typeof value !== 'object' || value === null) return typeof value === 'function' || typeof value === 'symbol' ? LEFT_OUT : value;
  if (levels === 0) return LEFT_OUT;
  const inner = { clean, levels: levels - 1 };
  return Array.isArray(value) ? value.map((item) => cleanValue(item, inner)) : cleanMembers(value, inner);
}

function cleanText(text: string, { clean }: Cleaning): string {
  try {
    return clean(text);
  } catch {
    return LEFT_OUT;
  }
}
