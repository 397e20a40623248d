import { isLoopbackAddress } from '@devs/mcp';
import { InvalidArgumentError } from 'commander';

export interface HttpAddress {
  readonly host: string;
  readonly port: number;
}

/** `7337`, `127.0.0.1:7337`, `localhost:0`, `[::1]:7337`. Throws commander's error for anything else. */
export function parseHttpAddress(text: string): HttpAddress {
  const match = /^(?:(?<host>[^:[\]]+|\[[0-9a-fA-F:]+\]):)?(?<port>\d{1,5})$/.exec(text);
  const host = (match?.groups?.['host'] ?? '127.0.0.1').replace(/^\[|\]$/g, '');
  const port = Number(match?.groups?.['port']);
  if (match === null || port > 65_535) {
    throw new InvalidArgumentError('It is [host:]port, for example 7337 or 127.0.0.1:7337.');
  }
  if (!isLoopbackAddress(host)) {
    throw new InvalidArgumentError('devs listens on this machine alone: 127.0.0.1, localhost or [::1].');
  }
  return { host, port };
}
