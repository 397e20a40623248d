// A bare client of MCP over HTTP: one POST a call, on connections that are kept.
import http from 'node:http';
import { text as readAll } from 'node:stream/consumers';

/** What a client of each era says with a call. */
const ERAS = {
  legacy: { headers: () => ({ 'mcp-protocol-version': '2025-11-25' }), meta: () => ({}) },
  modern: {
    headers: ({ method, params }) => ({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': params.name,
    }),
    meta: () => ({
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} },
    }),
  },
};

const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };

/** Disposable. `connections` bounds how many are open; further calls wait for one. No token: none is sent. */
export function openHttp(url, { token, connections }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const shared = {
    accept: 'application/json, text/event-stream',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    'content-type': 'application/json',
  };
  let lastId = 0;
  const call = async (era, params) => {
    const { headers, meta } = ERAS[era];
    lastId += 1;
    const message = { jsonrpc: '2.0', id: lastId, method: 'tools/call', params: { ...params, ...meta() } };
    const answer = await post(url, { agent, headers: { ...shared, ...headers(message) }, body: JSON.stringify(message) });
    return resultOf(answer);
  };
  /** Greets in the older era. What is called from then on belongs to the session that the server gives, if it gives one. */
  const greet = async () => {
    const headers = { ...shared, ...ERAS.legacy.headers() };
    const { session, ...answer } = await post(url, { agent, headers, body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: INITIALIZE }) });
    resultOf(answer);
    if (session !== undefined) shared['mcp-session-id'] = session;
    await post(url, { agent, headers: { ...headers, ...shared }, body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }) });
  };
  return { call, greet, [Symbol.dispose]: () => agent.destroy() };
}

async function post(url, { agent, headers, body }) {
  const { promise, resolve, reject } = Promise.withResolvers();
  http.request(url, { agent, method: 'POST', headers }, resolve).once('error', reject).end(body);
  const response = await promise;
  const { 'content-type': type = '', 'mcp-session-id': session } = response.headers;
  return { status: response.statusCode, type, session, text: await readAll(response) };
}

/** The answer is one JSON document, or a stream of events whose last one holds it. */
function resultOf({ status, type, text }) {
  if (status !== 200) throw new Error(`bench: HTTP ${status}: ${text}`);
  const json = type.startsWith('text/event-stream') ? text.slice(text.lastIndexOf('data:') + 'data:'.length) : text;
  const { result, error } = JSON.parse(json);
  if (error !== undefined || result.isError === true) throw new Error(`bench: ${text}`);
  return result;
}
