// `devs run` as the command puts it together, without a log: node devs-run.mjs <root> <server's words…>.
import process from 'node:process';
import { openGateway } from '../../packages/cli/dist/servers/gateway.js';
import { GuardedServer } from '../../packages/cli/dist/servers/guarded-server.js';
import { DEFAULT_CONFIG, OutputPolicy, silentLogger, ToolProxy, ToolRegistry } from '../../packages/core/dist/index.js';
import { MemoryPins, OrchestratorServer, serveOverStdio } from '../../packages/mcp/dist/index.js';
import { openFsRoot, ToolRunner } from '../../packages/sandbox/dist/index.js';

const [root, ...args] = process.argv.slice(2);
await serve();

async function serve() {
  const policy = new OutputPolicy({ sanitize: DEFAULT_CONFIG.sanitize });
  const registry = new ToolRegistry({ policy });
  const runner = new ToolRunner(openFsRoot({ root }));
  const proxy = new ToolProxy(registry, runner, { log: () => undefined }, { append: async () => undefined }, { outputPolicy: policy });
  const guarded = new GuardedServer('bench');
  await using gateway = openGateway({
    servers: { bench: { command: process.execPath, args, namespace: '' } },
    registry,
    pins: new MemoryPins(),
    policy,
    logger: silentLogger,
    root: process.cwd(),
    maxMessageBytes: DEFAULT_CONFIG.mcp.maxMessageBytes,
    environment: process.env,
    onUpstream: (upstream) => guarded.attach(upstream),
    idleMs: DEFAULT_CONFIG.http.sessionIdleMs,
  });
  const server = new OrchestratorServer({ registry, proxy, projectRoot: root, version: '1.0.0', clients: gateway.clients, profile: () => guarded.profile });
  const opening = async (info, key) => guarded.open(info, { gateway, policy, key, signal: AbortSignal.timeout(60_000) });
  await serveOverStdio(server, { input: process.stdin, output: process.stdout, opening }).closed;
}
