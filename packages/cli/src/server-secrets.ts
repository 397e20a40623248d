import type { DevsCoreConfig } from '@devs/core';

/** Names under which programs are given their secrets. Others hold paths and modes, which outputs are full of. */
const SECRET_NAME = /key|token|secret|passw|pwd|auth|credential|private|cookie|session/i;

/** What servers are handed to prove who they are: it must come back in no output, from whichever tool. */
export function secretsOf(servers: DevsCoreConfig['mcpServers']): readonly string[] {
  return Object.values(servers).flatMap(({ env = {}, headers = {} }) => [
    ...Object.entries(env).flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : [])),
    // `Bearer x`: the scheme stands before the secret.
    ...Object.entries(headers).flatMap(([name, value]) => (SECRET_NAME.test(name) ? value.split(' ') : [])),
  ]);
}
