/** Labels of those that speak of the protocol itself, and devs. */
const PROTOCOL: ReadonlySet<string> = new Set(['devs', 'mcp', 'modelcontextprotocol']);
/** Labels of hosts, and of programs that a host runs for a server: what stands under them is obeyed, and nobody sees it. */
const HOSTS: ReadonlySet<string> = new Set(['ui', 'mcp-ui', 'mcpui', 'openai', 'anthropic', 'claude']);

/** True for a key of `_meta` that belongs to MCP or to devs: nobody else speaks under it. */
export function isProtocolKey(key: string): boolean {
  return key === 'progressToken' || labelsOf(key).some((label) => PROTOCOL.has(label));
}

/** True for one that a host acts on: it shows a page, grants it a camera, keeps a tool in sight. */
export function isHostKey(key: string): boolean {
  return labelsOf(key).some((label) => HOSTS.has(label));
}

/** Of its prefix, `io.example` of `io.example/name`; of all of it where it has none. */
function labelsOf(key: string): readonly string[] {
  const end = key.indexOf('/');
  return (end === -1 ? key : key.slice(0, end)).toLowerCase().split('.');
}
