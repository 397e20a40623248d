// Servers of others as they are published, and what is asked of each. Read by `compare-servers.mjs`.
import path from 'node:path';
import { inRepository } from './repository.mjs';

export const PACKAGES = {
  '@modelcontextprotocol/inspector': '2.12.0',
  '@modelcontextprotocol/server-everything': '2026.8.31',
  '@modelcontextprotocol/server-filesystem': '2026.8.31',
  '@modelcontextprotocol/server-memory': '2026.8.31',
  fastmcp: '4.20.16',
};

/** What a request for the inspector is: its words, with `name` where the name of a tool or prompt stands. */
const method = (name) => ({ title: name, words: () => ['--method', name] });
const call = (tool, given = {}) => ({
  title: `tools/call ${tool} ${JSON.stringify(given)}`,
  words: (named) => ['--method', 'tools/call', '--tool-name', named(tool), ...pairs('--tool-arg', given)],
});
const read = (uri) => ({ title: `resources/read ${uri}`, words: () => ['--method', 'resources/read', '--uri', uri] });
const prompt = (name, given = {}) => ({
  title: `prompts/get ${name} ${JSON.stringify(given)}`,
  words: (named) => ['--method', 'prompts/get', '--prompt-name', named(name), ...pairs('--prompt-args', given)],
});
const pairs = (flag, given) => (Object.keys(given).length === 0 ? [] : [flag, ...Object.entries(given).map(([key, value]) => `${key}=${value}`)]);

const LISTS = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'].map(method);

const filesystem = (folder) => {
  const at = (name) => path.join(folder, name);
  return [
    ...LISTS,
    call('list_allowed_directories'),
    call('list_directory', { path: folder }),
    call('directory_tree', { path: folder }),
    call('read_text_file', { path: at('notes.txt') }),
    call('read_text_file', { path: at('notes.txt'), head: 1 }),
    call('read_media_file', { path: at('pixel.png') }),
    call('read_multiple_files', { paths: JSON.stringify([at('notes.txt'), at('absent.txt')]) }),
    call('search_files', { path: folder, pattern: '**/*.txt' }),
    call('write_file', { path: at('new.txt'), content: 'new — 新しい' }),
    call('read_text_file', { path: at('new.txt') }),
    call('move_file', { source: at('new.txt'), destination: at('moved.txt') }),
    call('create_directory', { path: at('folder') }),
    call('read_text_file', { path: '/etc/passwd' }),
    call('read_text_file'),
    call('absent'),
  ];
};

const everything = () => [
  ...LISTS,
  call('echo', { message: 'Grüße, 世界 👋' }),
  call('get-sum', { a: 2, b: 40 }),
  call('get-sum', { a: 'x', b: 1 }),
  call('get-tiny-image'),
  call('get-annotated-message', { messageType: 'error', includeImage: true }),
  call('get-structured-content', { location: 'New York' }),
  call('get-resource-links', { count: 3 }),
  call('get-resource-reference', { resourceType: 'Text', resourceId: 1 }),
  call('trigger-long-running-operation', { duration: 1, steps: 2 }),
  call('toggle-simulated-logging'),
  call('toggle-subscriber-updates'),
  call('get-roots-list'),
  prompt('simple-prompt'),
  prompt('args-prompt', { city: 'Oslo', state: 'Oslo' }),
  prompt('resource-prompt', { resourceType: 'Text', resourceId: 1 }),
  prompt('absent'),
  read('demo://resource/static/document/architecture.md'),
  read('demo://resource/dynamic/text/1'),
  read('demo://resource/dynamic/blob/1'),
  read('demo://absent'),
];

const entities = JSON.stringify([{ name: 'Ada', entityType: 'person', observations: ['writes programs'] }]);
const memory = () => [
  ...LISTS,
  call('create_entities', { entities }),
  call('add_observations', { observations: JSON.stringify([{ entityName: 'Ada', contents: ['lives in London'] }]) }),
  call('create_relations', { relations: JSON.stringify([{ from: 'Ada', to: 'Ada', relationType: 'knows' }]) }),
  call('read_graph'),
  call('search_nodes', { query: 'London' }),
  call('open_nodes', { names: JSON.stringify(['Ada']) }),
  call('delete_entities', { entityNames: JSON.stringify(['Ada']) }),
  call('read_graph'),
];

const fastmcp = () => [
  ...LISTS,
  ...['greet', 'work', 'draw', 'fail', 'absent'].map((name) => call(name)),
  read('file:///logs/app.log'),
  read('file:///logs/web.log'),
  prompt('commit', { changes: 'a typo' }),
];

/** `start(file, folder)` gives the words after `node` and the environment; `file` finds a file of the installed packages. */
export const SERVERS = [
  { name: 'filesystem', requests: filesystem, start: (file, folder) => ({ args: [file('@modelcontextprotocol', 'server-filesystem', 'dist', 'index.js'), folder] }) },
  { name: 'everything', requests: everything, start: (file) => ({ args: [file('@modelcontextprotocol', 'server-everything', 'dist', 'index.js')] }) },
  {
    name: 'memory',
    requests: memory,
    start: (file, folder) => ({ args: [file('@modelcontextprotocol', 'server-memory', 'dist', 'index.js')], env: { MEMORY_FILE_PATH: path.join(folder, 'memory.jsonl') } }),
  },
  {
    name: 'fastmcp',
    requests: fastmcp,
    start: (file) => ({ args: [inRepository('packages', 'mcp', 'src', '__tests__', 'fixtures', 'fastmcp-server.mjs'), file('fastmcp', 'dist', 'FastMCP.js')] }),
  },
];
