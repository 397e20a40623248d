// devs as `devs serve` puts it together, with the log as the second argument says: none, process, power.
import process from 'node:process';
import { ToolProxy, ToolRegistry } from '../../packages/core/dist/index.js';
import { OrchestratorServer, serveOverStdio } from '../../packages/mcp/dist/index.js';
import { openFsRoot, ToolRunner } from '../../packages/sandbox/dist/index.js';
import { openSqliteAgentLogs } from '../../packages/storage/dist/index.js';
import { builtInTools } from '../../packages/tools/dist/index.js';

const [root, durability, file] = process.argv.slice(2);
const noLog = { append: async () => undefined, close: async () => undefined };
const logs = durability === 'none' ? noLog : openSqliteAgentLogs({ file, durability });
const registry = new ToolRegistry();
for (const tool of builtInTools) registry.register(tool);
const proxy = new ToolProxy(registry, new ToolRunner(openFsRoot({ root })), { log: () => undefined }, logs);
const server = new OrchestratorServer({ registry, proxy, projectRoot: root, version: '1.0.0' });
await serveOverStdio(server, { input: process.stdin, output: process.stdout }).closed;
await logs.close();
