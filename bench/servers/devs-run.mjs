// `devs run` as the command puts it together, without a log: node devs-run.mjs <root> <server's words…>.
import process from 'node:process';
import { silentLogger, ToolProxy, ToolRegistry } from '../../packages/core/dist/index.js';
import { OrchestratorServer, serveOverStdio, UpstreamServer, UpstreamTools } from '../../packages/mcp/dist/index.js';
import { openFsRoot, ToolRunner } from '../../packages/sandbox/dist/index.js';

const [root, ...args] = process.argv.slice(2);
const noLog = { append: async () => undefined };
const registry = new ToolRegistry();
const proxy = new ToolProxy(registry, new ToolRunner(openFsRoot({ root })), { log: () => undefined }, noLog);
const server = new OrchestratorServer({ registry, proxy, projectRoot: root, version: '1.0.0', instructions: '', toolsMayChange: true });
const tools = new UpstreamTools({ registry, source: 'bench', logger: silentLogger, call: async (...asked) => upstream.call(...asked) });
const upstream = new UpstreamServer({
  command: process.execPath,
  args,
  cwd: process.cwd(),
  env: process.env,
  source: 'bench',
  onTools: async (listed) => {
    if (await tools.update(listed)) server.announceToolChange();
  },
});
const opening = async (hello) => upstream.start(hello);
await serveOverStdio(server, { input: process.stdin, output: process.stdout, opening }).closed;
await upstream.end();
