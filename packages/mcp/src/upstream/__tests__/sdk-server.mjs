// A well-behaved MCP server made with the SDK, for what every connection must bring across.
// argv: stdio-legacy | stdio-modern | stdio-dual | http   (http prints its address as one line)
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';
import { Readable } from 'node:stream';
import { createMcpHandler, inputRequired, isLegacyRequest, Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const mode = process.argv[2];
const text = (words) => ({ content: [{ type: 'text', text: words }] });
const cancelled = new Set();

const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const question = { mode: 'form', message: 'Who are you?', requestedSchema };

const tools = {
  echo: ({ words }, { mcpReq }) => ({ ...text(words), structuredContent: { words }, future: { a: [1] }, _meta: { trace: mcpReq._meta?.traceparent ?? null } }),
  progress: async (_, { mcpReq }) => {
    const { progressToken } = mcpReq._meta ?? {};
    for (const progress of [1, 2]) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 2, message: `step ${progress}` } });
    }
    return text('done');
  },
  token: (_, { mcpReq }) => text(mcpReq._meta?.progressToken === undefined ? 'no token' : 'a token'),
  log: async (_, { mcpReq }) => {
    await mcpReq.log('warning', { words: 'careful' }, 'the-logger');
    return text('logged');
  },
  ask: async (_, { mcpReq }, { era }) => {
    if (era === 'legacy') {
      const { action, content } = await mcpReq.send({ method: 'elicitation/create', params: question });
      return text(`${action} ${content?.name}`);
    }
    const { who } = mcpReq.inputResponses ?? {};
    if (who === undefined) return inputRequired({ inputRequests: { who: inputRequired.elicit(question) }, requestState: 'a state' });
    return text(`${who.action} ${who.content?.name}`);
  },
  wait: async ({ key }, { mcpReq }) =>
    new Promise((resolve) => {
      mcpReq.signal.addEventListener('abort', () => {
        cancelled.add(key);
        resolve(text('cancelled'));
      });
    }),
  cancelled: ({ key }) => text(String(cancelled.has(key))),
  change: async (_, __, { tell }) => {
    await tell.tools();
    await tell.resource('test://watched');
    return text('changed');
  },
  pid: () => text(String(process.pid)),
};

function create({ era, tell }) {
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} };
  const server = new Server({ name: 'sdk', version: '1', title: 'The title' }, { capabilities, instructions: 'Be kind.' });
  server.setRequestHandler('tools/list', () => ({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) }));
  const told = tell ?? { tools: () => server.sendToolListChanged(), resource: (uri) => server.sendResourceUpdated({ uri }) };
  server.setRequestHandler('tools/call', ({ params }, context) => tools[params.name](params.arguments ?? {}, context, { era, tell: told }));
  if (era !== 'legacy') return server;
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  return server;
}

const START = {
  'stdio-legacy': () => create({ era: 'legacy' }).connect(new StdioServerTransport()),
  'stdio-modern': () => serveStdio(create, { legacy: 'reject' }),
  'stdio-dual': () => serveStdio(create),
  http: serveHttp,
};

function serveHttp() {
  const sessions = new Map();
  const tell = { tools: () => modern.notify.toolsChanged(), resource: (uri) => modern.notify.resourceUpdated(uri) };
  const modern = createMcpHandler(({ era }) => create({ era, tell }), { legacy: 'reject' });
  const startSession = async () => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await create({ era: 'legacy' }).connect(transport);
    return transport;
  };
  const answer = async (request) => {
    if (!(await isLegacyRequest(request))) return modern.fetch(request);
    const id = request.headers.get('mcp-session-id');
    const transport = id === null ? await startSession() : sessions.get(id);
    return transport === undefined ? new Response('no such session', { status: 404 }) : transport.handleRequest(request);
  };
  const serve = async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    const { method, headers, url } = incoming;
    const body = method === 'POST' ? Readable.toWeb(incoming) : undefined;
    const response = await answer(new Request(`http://${headers.host}${url}`, { method, headers, body, duplex: 'half', signal: gone.signal }));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    if (response.body === null) return outgoing.end();
    const stream = Readable.fromWeb(response.body);
    outgoing.once('close', () => stream.destroy());
    stream.on('error', () => outgoing.destroy()).pipe(outgoing);
  };
  const front = createServer((incoming, outgoing) => void serve(incoming, outgoing));
  front.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${front.address().port}/mcp\n`));
  process.stdin.on('end', () => process.exit(0)).resume();
}

START[mode]();
