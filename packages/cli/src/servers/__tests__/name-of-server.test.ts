import { expect, it } from '@jest/globals';
import { nameOfServer } from '../name-of-server.ts';

it.each<[string, string]>([
  ['npx -y @modelcontextprotocol/server-filesystem@2026.1.1 /data', 'server-filesystem'],
  ['uvx mcp-server-git --repository .', 'mcp-server-git'],
  ['node --enable-source-maps dist/notes.mjs --port 1', 'notes'],
  ['python3 -u servers/weather_tool.py', 'weather-tool'],
  ['/opt/tools/bin/my server', 'my-server'],
  ['node', 'node'],
  ['./...', 'server'],
  ['./Built-In', 'server-Built-In'],
  ['./7', 'server-7'],
  ['a__b', 'a--b'],
  ['x'.repeat(100), 'x'.repeat(64)],
])('%s is called %s', (line, name) => {
  const words = line.startsWith('/opt') ? [line] : line.split(' ');
  expect(nameOfServer(words)).toBe(name);
});
