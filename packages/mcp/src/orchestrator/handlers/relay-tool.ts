import { isRecord, type Continuation } from '@devs/core';
import type { Result } from '@modelcontextprotocol/server';
import { isProtocolFailure, toFailure } from '../../relay/protocol-failure.ts';
import type { RelayRequest } from '../../relay/relay-request.ts';
import { answerRounds } from '../../relay/rounds.ts';
import { toCallToolResult } from '../../protocol/wire.ts';
import { executeCall, type CallToolDependencies } from './call-tool.ts';
import type { ToolCatalog } from './list-tools.ts';

/**
 * `tools/call` where servers behind devs may answer it: with questions first, or with an error of the protocol that a
 * client acts on.
 */
export async function relayTool(params: unknown, relayed: RelayRequest, { registry, ...dependencies }: RelayToolDependencies): Promise<Result> {
  const { client, signal, meta, onNotice, wantsProgress, admits } = relayed;
  const round = async (continuation: Continuation | undefined) => {
    const onward = {
      session: client.instances,
      admits,
      ...(continuation !== undefined && { continuation }),
      ...(meta !== undefined && { meta }),
      ...(onNotice !== undefined && { onNotice, wantsProgress }),
    };
    return executeCall(params, signal, { ...dependencies, onward });
  };
  await untilKnown(params, relayed, registry);
  const result = await answerRounds(relayed, round);
  if ('resultType' in result) return result;
  if (isProtocolFailure(result)) throw toFailure(result, {});
  return { ...toCallToolResult(result) };
}

export interface RelayToolDependencies extends CallToolDependencies {
  readonly registry: ToolCatalog;
}

/** Servers start when they are needed: a tool that nobody knows yet may be one of theirs. Other calls do not wait for them. */
async function untilKnown(params: unknown, { client, signal }: RelayRequest, registry: ToolCatalog): Promise<void> {
  const name = isRecord(params) ? params['name'] : undefined;
  const tool = typeof name === 'string' ? registry.getTool(name) : undefined;
  if (tool !== undefined && client.instances.knows(tool)) return;
  // One that is cancelled meanwhile goes on to the gate all the same: it has come, so it is in the log.
  await client.instances.ready(signal).catch(() => undefined);
}
