import path from 'node:path';
import { toServerIdentity } from '@devs/mcp';

/** Programs of which the first argument says what they run. */
const RUNTIMES = new Set(['bun', 'deno', 'node', 'nodejs', 'python', 'python3', 'ruby', 'tsx']);

/** No server of a configuration may be called so: what comes from `built-in` would pass for devs's own. */
const RESERVED = /^(?:built-in|\d+)$/i;

/** What a server of this command line is called: its package or script, or its program. For people, and in the log. */
export function nameOfServer([command = '', ...args]: readonly string[]): string {
  const { key } = toServerIdentity({ command, args }, { resolve: (program) => program });
  const fetched = /^(?:npm|pypi):([^#]+)/.exec(key)?.[1];
  const script = RUNTIMES.has(path.basename(command)) ? args.find((argument) => !argument.startsWith('-')) : undefined;
  const named = fetched ?? (script === undefined ? command : path.parse(script).name);
  // As names in a configuration are: two underscores would part it from its tools.
  const name = path.basename(named).replace(/[^A-Za-z0-9.-]/g, '-').replace(/^[.-]+/, '').slice(0, 64);
  if (name === '') return 'server';
  return RESERVED.test(name) ? `server-${name}`.slice(0, 64) : name;
}
