import type { OutgoingHttpHeaders } from 'node:http';
import { judge, refusedBefore, type Attack, type AttackGroup } from './attack.ts';
import type { HttpTestClient } from './http-test-client.ts';

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const META = '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';
const POLLUTED =
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"notes.txt","__proto__":{"admin":true}},"_meta":${META}}}`;
const CALL_HEADERS = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'read_file' };

interface Row {
  readonly title: string;
  readonly headers: (httpClient: HttpTestClient) => OutgoingHttpHeaders;
  /** What must come back. */
  readonly status: number;
}

const NOT_ADMITTED: readonly Row[] = [
  { title: 'rebind a web page’s name to this machine', headers: ({ port, token }) => ({ ...bearer(token), host: `evil.example:${port}` }), status: 403 },
  { title: 'call from a web page of another site', headers: ({ token }) => ({ ...bearer(token), origin: 'https://evil.example' }), status: 403 },
  { title: 'call from a page that hides its origin', headers: ({ token }) => ({ ...bearer(token), origin: 'null' }), status: 403 },
  { title: 'come without a token', headers: () => ({}), status: 401 },
  { title: 'come with the token cut short', headers: ({ token }) => bearer(token.slice(0, -1)), status: 401 },
];

const bodyTooLarge: Attack = {
  title: 'send a body of 33 MiB',
  run: async (stage) => {
    const httpClient = await stage.httpClient();
    const { status } = await httpClient.post(`"${'x'.repeat(33 * 1024 * 1024)}"`, bearer(httpClient.token));
    return refusedBefore(status === 413, `HTTP ${status}`);
  },
};

const pollute: Attack = {
  title: 'slip in an own __proto__ over HTTP',
  run: async (stage) => {
    const httpClient = await stage.httpClient();
    const { body } = await httpClient.post(POLLUTED, { ...bearer(httpClient.token), ...CALL_HEADERS });
    return judge(stage, [body], { code: 'TOOL_ARG_VALIDATION_FAILURE' });
  },
};

export const httpAttacks: readonly AttackGroup[] = [
  { title: 'HTTP request admission', attacks: [...NOT_ADMITTED.map(turnedAway), bodyTooLarge, pollute] },
];

function turnedAway({ title, headers, status: wanted }: Row): Attack {
  return {
    title,
    run: async (stage) => {
      const httpClient = await stage.httpClient();
      const { status } = await httpClient.post(PING, headers(httpClient));
      return refusedBefore(status === wanted, `HTTP ${status}`);
    },
  };
}

function bearer(token: string): OutgoingHttpHeaders {
  return { authorization: `Bearer ${token}` };
}
