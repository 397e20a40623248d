// Starts the real server as a child process, calls read_file through the official MCP client, and
// asserts the answer and its row in agent_logs. Exit 0 on success (seed 003).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const devs = fileURLToPath(new URL('../packages/cli/dist/main.js', import.meta.url));
const place = mkdtempSync(path.join(os.tmpdir(), 'devs-smoke-'));
const root = path.join(place, 'project');
const env = { ...process.env, DEVS_STATE_DIR: path.join(place, 'state'), XDG_CONFIG_HOME: path.join(place, 'config') };
const sentence = 'The quick brown fox — ein schneller Fuchs — 素早い狐\n';

/** One call through the real server; the client's era is negotiated as `mode` says. */
async function callReadFile(mode) {
  const transport = new StdioClientTransport({ command: process.execPath, args: [devs, 'serve', '--root', root], env });
  const client = new Client({ name: 'smoke-test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'read_file'), 'read_file is listed');
    return await client.callTool({
      name: 'read_file',
      arguments: { path: 'src/index.ts' },
      _meta: { 'devs/context': { agentId: `smoke-${mode}`, turnIndex: 1, phaseId: 'phase', epicId: 'epic' } },
    });
  } finally {
    await client.close();
  }
}

/** The row as a reader of the database would find it, by the view's own name. */
async function readRow(agentId) {
  const list = spawnSync(process.execPath, [devs, 'logs', 'list', '--json', '--agent', agentId, '--root', root], { env, encoding: 'utf8' });
  assert.equal(list.status, 0, list.stderr);
  const rows = list.stdout.trim().split('\n').map((line) => JSON.parse(line));
  assert.equal(rows.length, 1, 'one call, one row');
  return rows[0];
}

async function check(mode) {
  const result = await callReadFile(mode);
  assert.notEqual(result.isError, true, JSON.stringify(result));
  assert.deepEqual(result.content, [{ type: 'text', text: sentence }]);
  const row = await readRow(`smoke-${mode}`);
  const { toolName, turnIndex, phaseId, epicId, input, output, status, isError } = row;
  assert.deepEqual(
    { toolName, turnIndex, phaseId, epicId, input, output, status, isError },
    {
      toolName: 'read_file',
      turnIndex: 1,
      phaseId: 'phase',
      epicId: 'epic',
      input: { path: 'src/index.ts' },
      output: { content: [{ type: 'text', text: sentence }] },
      status: 'ok',
      isError: false,
    },
  );
  assert.ok(row.durationMs >= 0, 'it has a duration');
  process.stdout.write(`smoke test, ${mode} era: read_file answered, and is in agent_logs as ${row.id}\n`);
}

try {
  mkdirSync(path.join(root, 'src'), { recursive: true });
  writeFileSync(path.join(root, 'src', 'index.ts'), sentence);
  await check('legacy');
  await check('auto');
} finally {
  rmSync(place, { recursive: true, force: true });
}
