import path from 'node:path';
import { DevsError, type JsonObject, type StructuredLogger } from '@devs/core';
import { serveOperator, type RunningOperatorServer } from '@devs/mcp';
import { readSmallFile } from '../state/read-file.ts';
import type { StateFolder } from '../state/state-folder.ts';
import { readOrCreateToken } from '../state/token-file.ts';
import { shellQuote } from '../terminal/shell-quote.ts';
import type { HttpAddress } from './http-address.ts';

export interface OperatorPort {
  readonly address: HttpAddress;
  readonly token: string;
  readonly tokenFile: string;
}

/** The operator's own token, made at the first start: agents have theirs, and neither opens the other's port. */
export async function prepareOperator(address: HttpAddress, { path: folder, tokenFile: agentsFile }: StateFolder): Promise<OperatorPort> {
  const tokenFile = path.join(folder, 'operator-token');
  const token = await readOrCreateToken(tokenFile);
  const agents = await readSmallFile(agentsFile);
  // Copied by hand, as a rule: every agent could then ask what the operator asks.
  if (agents.kind === 'read' && agents.bytes.toString('utf8').trim() === token) {
    throw new DevsError('STATE_UNUSABLE', { sentence: `The file ${JSON.stringify(tokenFile)} contains the agents' token; delete it to get a separate one for the operator.` });
  }
  return { address, tokenFile, token };
}

export interface OperatorAnswers {
  readonly status: () => Promise<JsonObject>;
  readonly isHealthy: () => boolean;
  readonly logger: StructuredLogger;
}

export async function startOperator({ address, token }: OperatorPort, answers: OperatorAnswers): Promise<RunningOperatorServer> {
  return serveOperator({ ...address, token, ...answers });
}

/** What a person is told of it: where, and with what. */
export function describeOperator({ url }: RunningOperatorServer, { tokenFile }: OperatorPort): readonly string[] {
  return [`For the operator: ${url}/health, and ${url}/status with the token in ${tokenFile}:`, `  curl -H "Authorization: Bearer $(cat ${shellQuote(tokenFile)})" ${url}/status`];
}
