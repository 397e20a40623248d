import path from 'node:path';
import type { ConfinementReport, DevsCoreConfig, McpServerConfig, UpstreamSandboxMode } from '@devs/core';
import { safeEnvironment } from '../servers/server-environment.ts';
import { toTableLines } from '../terminal/table.ts';
import type { HeldServer, UpstreamBoxes } from '../servers/upstream-boxes.ts';

/** A server of the configuration. `elsewhere`: devs does not start it; `off`: it is disabled. */
export interface JudgedServer extends HeldServer {
  readonly name: string;
}

export interface ServersPlace {
  /** Absolute, real. */
  readonly root: string;
  readonly boxes: UpstreamBoxes;
}

/** How each server would be held. Starts none of them. */
export async function judgeServers(servers: DevsCoreConfig['mcpServers'], place: ServersPlace): Promise<readonly JudgedServer[]> {
  return Promise.all(Object.entries(servers).map(async ([name, entry]) => ({ name, ...(await judge(name, entry, place)) })));
}

async function judge(name: string, entry: McpServerConfig, { root, boxes }: ServersPlace): Promise<HeldServer> {
  const { command, args = [], cwd = '', env = {}, disabled } = entry;
  if (disabled === true) return { confinement: 'off', detail: 'is disabled' };
  if (command === undefined) return { confinement: 'elsewhere', detail: 'is reached at its URL; devs starts nothing' };
  return boxes.judge(name, entry, { command, args, cwd: path.resolve(root, cwd), env: { ...safeEnvironment(process.env, root), ...env } });
}

/** Lines for a person. @param boxes as they were just tried out */
export function describeServers(servers: readonly JudgedServer[], { sandbox }: Pick<DevsCoreConfig, 'sandbox'>, boxes: ConfinementReport): readonly string[] {
  return [...toTableLines(servers.flatMap(toRows), { indent: '  ' }), `  A server started with devs run ${describeBehindRun(sandbox.upstreams, boxes.usable)}: "sandbox": {"upstreams": ${JSON.stringify(sandbox.upstreams)}}.`];
}

function describeBehindRun(mode: UpstreamSandboxMode, canBeBoxed: boolean): string {
  if (mode === 'none') return 'would run without a sandbox, with your own permissions';
  if (canBeBoxed) return 'would run in a sandbox';
  return mode === 'require' ? 'would be refused, because no sandbox is available' : 'would run without a sandbox, with your own permissions, because none is available';
}

function toRows({ name, confinement, detail, fix }: JudgedServer): readonly (readonly string[])[] {
  return [[name, confinement, detail], ...(fix === undefined ? [] : [['', 'fix', fix]])];
}
