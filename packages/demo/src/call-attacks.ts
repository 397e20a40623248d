import type { ErrorCode } from '@devs/core';
import { judge, type Attack, type AttackGroup } from './attack.ts';
import type { LineClient } from './line-client.ts';

/** Title, the parameters of `tools/call` as text, and the code that must stand in the log. */
type Row = readonly [string, string, ErrorCode];

const PATHS: readonly Row[] = [
  ['read a file beside the project: ../outside/secret.txt', call('read_file', '{"path":"../outside/secret.txt"}'), 'PATH_OUTSIDE_ROOT'],
  ['read /etc/passwd by its absolute path', call('read_file', '{"path":"/etc/passwd"}'), 'PATH_OUTSIDE_ROOT'],
  ['read through a link that leads out', call('read_file', '{"path":"link.txt"}'), 'PATH_OUTSIDE_ROOT'],
  ['read through a linked folder', call('read_file', '{"path":"linked-folder/secret.txt"}'), 'PATH_OUTSIDE_ROOT'],
  ['write through a linked folder', call('write_file', '{"path":"linked-folder/new.txt","content":"x"}'), 'PATH_OUTSIDE_ROOT'],
  ['list the folder above', call('list_directory', '{"path":".."}'), 'PATH_OUTSIDE_ROOT'],
  ['hide the end of a path behind a NUL', call('read_file', '{"path":"notes.txt\\u0000.png"}'), 'PATH_REFUSED'],
  ['plant a git hook', call('write_file', '{"path":".git/hooks/pre-commit","content":"#!/bin/sh"}'), 'PATH_PROTECTED'],
  ['plant a server for the next client, spelled .MCP.json', call('write_file', '{"path":".MCP.json","content":"{}"}'), 'PATH_PROTECTED'],
  ['loosen the configuration of devs itself', call('write_file', '{"path":"devs.config.json","content":"{}"}'), 'PATH_PROTECTED'],
];

const ARGUMENTS: readonly Row[] = [
  ['slip in an own __proto__', call('read_file', '{"path":"notes.txt","__proto__":{"admin":true}}'), 'TOOL_ARG_VALIDATION_FAILURE'],
  ['the same, deeper and escaped', call('read_file', '{"path":{"\\u005f_proto__":{"admin":true}}}'), 'TOOL_ARG_VALIDATION_FAILURE'],
  ['reach the prototype by constructor.prototype', call('read_file', '{"path":"notes.txt","constructor":{"prototype":{}}}'), 'TOOL_ARG_VALIDATION_FAILURE'],
  ['send a list in the place of the arguments', call('read_file', '["notes.txt"]'), 'TOOL_ARG_VALIDATION_FAILURE'],
  ['add an argument that nobody knows', call('read_file', '{"path":"notes.txt","sudo":true}'), 'TOOL_ARG_VALIDATION_FAILURE'],
  ['send a number that JavaScript would change', call('read_file', '{"path":"notes.txt","offset":9007199254740993}'), 'TOOL_ARG_VALIDATION_FAILURE'],
  ['claim to be somebody with a reversed name', call('read_file', '{"path":"notes.txt"}', '{"devs/context":{"agentId":"\\u202enimda"}}'), 'CONTEXT_REFUSED'],
];

const TOOLS: readonly Row[] = [
  ['call a tool that does not exist', call('shell', '{"command":"id"}'), 'UNKNOWN_TOOL'],
  ['call constructor, which every JavaScript object inherits', call('constructor', '{}'), 'UNKNOWN_TOOL'],
  ['forge a line in the log by the name of a tool', call('x\\nread_file ok', '{}'), 'UNKNOWN_TOOL'],
];

export const callAttacks: readonly AttackGroup[] = [
  { title: 'Paths', attacks: toAttacks(PATHS) },
  { title: 'Arguments and claims', attacks: toAttacks(ARGUMENTS) },
  { title: 'Tools that are not there', attacks: toAttacks(TOOLS) },
];

function call(name: string, args: string, meta = '{}'): string {
  return `{"name":"${name}","arguments":${args},"_meta":${meta}}`;
}

function toAttacks(rows: readonly Row[]): readonly Attack[] {
  return rows.map(([title, params, code]) => ({
    title,
    run: async (stage) => judge(stage, await askForCall(await stage.agent(), params), { code }),
  }));
}

export async function askForCall(agent: LineClient, params: string): Promise<readonly unknown[]> {
  return agent.ask([`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`]);
}
