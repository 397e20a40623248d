import { shellQuote } from './shell-quote.ts';

export interface Connection {
  readonly url: string;
  /** Undefined when no token is asked for. */
  readonly tokenFile: string | undefined;
}

/** What a client's file says in place of the token: the token itself never stands in a file that is shared. */
const REFERENCES = { claudeCode: '${DEVS_TOKEN}', cursor: '${env:DEVS_TOKEN}', visualStudioCode: '${input:devs-token}' };
/** VS Code asks for it once and keeps it: of environment variables it makes nothing in headers. */
const INPUTS = [{ type: 'promptString', id: 'devs-token', description: 'devs token', password: true }];

/** The lines to paste into the common clients. They name the token's variable, never the token. */
export function clientSnippets({ url, tokenFile }: Connection): readonly string[] {
  const withToken = tokenFile !== undefined;
  const headers = (reference: string) => (withToken ? { headers: { Authorization: `Bearer ${reference}` } } : {});
  const claudeCode = { mcpServers: { devs: { type: 'http', url, ...headers(REFERENCES.claudeCode) } } };
  const cursor = { mcpServers: { devs: { url, ...headers(REFERENCES.cursor) } } };
  const server = { type: 'http', url, ...headers(REFERENCES.visualStudioCode) };
  const visualStudioCode = { ...(withToken && { inputs: INPUTS }), servers: { devs: server } };
  return [
    ...(withToken ? ['In the shell that starts your client:', `  export DEVS_TOKEN="$(cat ${shellQuote(tokenFile)})"`] : []),
    ...snippet('Claude Code, .mcp.json:', claudeCode),
    ...snippet('Cursor, .cursor/mcp.json:', cursor),
    ...snippet('VS Code, .vscode/mcp.json:', visualStudioCode),
  ];
}

function snippet(title: string, value: object): readonly string[] {
  return [title, `  ${JSON.stringify(value)}`];
}
