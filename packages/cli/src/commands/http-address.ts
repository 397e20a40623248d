import { toLoopbackAddress } from '@devs/mcp';
import { CommandFailure, EXIT } from '../exit-codes.ts';

export interface HttpAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * `7337`, `127.0.0.1:7337`, `localhost:0`, `[::1]:7337`. Throws a `CommandFailure` for anything else.
 * `host` is numeric: what is shown to people and to clients has one meaning.
 */
export function parseHttpAddress(text: string): HttpAddress {
  const match = /^(?:(?<host>[^:[\]]+|\[[0-9a-fA-F:]+\]):)?(?<port>\d{1,5})$/.exec(text);
  const host = (match?.groups?.['host'] ?? '127.0.0.1').replace(/^\[|\]$/g, '');
  const port = Number(match?.groups?.['port']);
  if (match === null || port > 65_535) {
    throw new CommandFailure(EXIT.usage, `--http ${text}: it is [host:]port, for example 7337 or 127.0.0.1:7337.`);
  }
  const address = toLoopbackAddress(host);
  if (address === undefined) {
    throw new CommandFailure(EXIT.usage, `--http ${text}: devs listens only on this machine: 127.0.0.1 or [::1].`);
  }
  return { host: address, port };
}
