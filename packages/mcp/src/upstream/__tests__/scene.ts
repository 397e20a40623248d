import path from 'node:path';
import {
  describeBlock,
  DevsError,
  ToolProxy,
  ToolRegistry,
  type AgentLogRecord,
  type LogFields,
  type SandboxExecutor,
  type StructuredLogger,
  type ToolResult,
} from '@devs/core';
import type { ClientHello } from '../../client-hello.ts';
import { until } from './processes.ts';
import { UpstreamServer, type UpstreamServerOptions } from '../upstream-server.ts';
import { UpstreamTools } from '../upstream-tools.ts';

const HOSTILE_SERVER = path.join(__dirname, 'hostile-server.mjs');

export const HELLO: ClientHello = {
  era: 'legacy',
  protocolVersion: '2025-06-18',
  capabilities: { roots: { listChanged: true }, elicitation: {}, future: { a: 1 } },
  clientInfo: { name: 'the client', version: '3' },
};

export interface Said extends LogFields {
  readonly event: string;
}

/** A real gate in front of a real process of the hostile server. Nothing of it is left when disposed. */
export interface Scene extends AsyncDisposable {
  readonly upstream: UpstreamServer;
  readonly registry: ToolRegistry;
  readonly records: readonly AgentLogRecord[];
  readonly said: readonly Said[];
  /** How often clients would have been told that the tools changed. */
  readonly changes: () => number;
  call(toolName: string, args?: object, signal?: AbortSignal): Promise<ToolResult>;
  /** Resolves when the event has been said that often. */
  untilSaid(event: string, times?: number): Promise<Said>;
  /** Resolves when the server is there again. */
  untilUp(): Promise<void>;
}

const NOBODY = new AbortController().signal;

export function createScene(args: readonly string[] = [], options: Partial<UpstreamServerOptions> = {}): Scene {
  const registry = new ToolRegistry();
  const records: AgentLogRecord[] = [];
  const log = createLog();
  const sandbox: SandboxExecutor = {
    execute: async (tool, checked, _context, { signal }) => {
      if (tool.kind !== 'upstream') throw new Error('A tool of a server is of the kind upstream.');
      return tool.handler(checked, { signal });
    },
  };
  const proxy = new ToolProxy(registry, sandbox, { log: () => undefined }, { append: async (record) => void records.push(record) });
  let changes = 0;
  const { logger } = log;
  const tools = new UpstreamTools({ registry, source: 'hostile', logger, call: async (...asked) => upstream.call(...asked) });
  const upstream = new UpstreamServer({
    command: process.execPath,
    args: [HOSTILE_SERVER, ...args],
    cwd: __dirname,
    env: process.env,
    source: 'hostile',
    logger,
    onTools: async (listed) => {
      if (await tools.update(listed)) changes += 1;
    },
    ...options,
  });
  const context = { projectRoot: '/project', agentId: 'a', turnIndex: 0, phaseId: '', epicId: '' };
  const call = async (toolName: string, asked: object = {}, signal: AbortSignal = NOBODY) =>
    proxy.execute({ toolName, args: asked, context, origin: { principal: 'test', channel: 'library' }, signal });
  return {
    upstream,
    registry,
    records,
    said: log.said,
    changes: () => changes,
    call,
    untilSaid: log.untilSaid,
    untilUp: async () => until(async () => (await call('pids')).isError !== true),
    [Symbol.asyncDispose]: async () => void (await upstream.end()),
  };
}

function createLog() {
  const said: Said[] = [];
  let waiting: (() => void)[] = [];
  const hear = (event: string, fields: LogFields = {}) => {
    said.push({ ...fields, event });
    for (const wake of waiting.splice(0)) wake();
  };
  const logger: StructuredLogger = { debug: hear, info: hear, warn: hear, error: hear };
  const untilSaid = async (event: string, times = 1): Promise<Said> => {
    for (;;) {
      const found = said.filter((line) => line.event === event)[times - 1];
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        waiting = [...waiting, resolve];
      });
    }
  };
  return { said, logger, untilSaid };
}

/** The texts of a result, each out of its boundary. */
export function textOf({ content }: ToolResult): string {
  return content.map((block) => describeBlock(block).replace(BOUNDARY, '$<content>')).join('\n');
}

const BOUNDARY = /^<external-content-(?<id>[\da-f]{12}) source="[^"]*">\n(?<content>[^]*)\n<\/external-content-\k<id>>$/;

export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
    return undefined;
  } catch (cause) {
    return DevsError.is(cause) ? cause.code : cause;
  }
}
