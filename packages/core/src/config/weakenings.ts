import type { DevsCoreConfig } from './defaults.ts';

/** What one warning names at most, and UTF-16 units of one name. */
const MAX_NAMES = 3;
const MAX_NAME_LENGTH = 80;

/** Says how a configuration protects less than the one in force without it; undefined when it does not. */
export type Weakening = (config: DevsCoreConfig, inForce: DevsCoreConfig) => string | undefined;

/**
 * For every key of the schema, what to warn of before somebody trusts a file. A key without an entry
 * fails a test: whoever adds one decides here, in writing, what it can weaken.
 */
export const WEAKENINGS: Readonly<Record<string, Weakening | 'never weakens'>> = Object.freeze({
  $schema: 'never weakens',
  'mcp.maxToolOutputBytes': larger(({ mcp }) => mcp.maxToolOutputBytes, 'bytes may stand in one tool result'),
  'mcp.maxMessageBytes': larger(({ mcp }) => mcp.maxMessageBytes, 'bytes of one message are held in memory'),
  'limits.toolTimeoutMs': larger(({ limits }) => limits.toolTimeoutMs, 'milliseconds may a tool go on'),
  'audit.durability': ({ audit }, inForce) =>
    audit.durability === 'process' && inForce.audit.durability === 'power' ? 'a power cut may take the last calls out of the log' : undefined,
  'files.protected': ({ files }, inForce) => {
    const gone = inForce.files.protected.filter((name) => !files.protected.includes(name));
    return gone.length === 0 ? undefined : `tools may write ${nameSome(gone.map((name) => JSON.stringify(name)))} again`;
  },
  'http.maxConnections': larger(({ http }) => http.maxConnections, 'connections may be open at once'),
  'http.maxRequests': larger(({ http }) => http.maxRequests, 'requests may be under way at once'),
  'http.requestTimeoutMs': larger(({ http }) => http.requestTimeoutMs, 'milliseconds may a client take to send a request'),
  mcpServers: ({ mcpServers }, inForce) => {
    const brought = Object.keys(mcpServers).filter((name) => serverText(mcpServers, name) !== serverText(inForce.mcpServers, name));
    return brought.length === 0 ? undefined : `names servers for devs to start or reach: ${nameSome(brought)}`;
  },
});

/** What `config` weakens, key by key, in the order of the schema. */
export function findWeakenings(
  config: DevsCoreConfig,
  inForce: DevsCoreConfig,
): readonly { readonly key: string; readonly sentence: string }[] {
  return Object.entries(WEAKENINGS).flatMap(([key, weakening]) => {
    const sentence = weakening === 'never weakens' ? undefined : weakening(config, inForce);
    return sentence === undefined ? [] : [{ key, sentence }];
  });
}

/**
 * The first names, and how many more there are. A warning stands on a screen with the others: thousands of
 * names, or a long one, must not push those off it. The whole lists are shown elsewhere.
 */
export function nameSome(names: readonly string[]): string {
  const some = names.slice(0, MAX_NAMES).map((name) => (name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}…` : name));
  const rest = names.length - some.length;
  return some.join(', ') + (rest > 0 ? ` and ${rest.toLocaleString('en-US')} more` : '');
}

function larger(valueOf: (config: DevsCoreConfig) => number, what: string): Weakening {
  return (config, inForce) => {
    const [value, before] = [valueOf(config), valueOf(inForce)];
    return value > before ? `${value} ${what}, where it was ${before}` : undefined;
  };
}

function serverText(servers: DevsCoreConfig['mcpServers'], name: string): string | undefined {
  return Object.hasOwn(servers, name) ? JSON.stringify(servers[name]) : undefined;
}
