import path from 'node:path';
import type { JsonObject, StructuredLogger } from '@devs/core';
import { serveOperator, type RunningOperatorServer } from '@devs/mcp';
import type { HttpAddress } from '../http-address.ts';
import { shellQuote } from '../shell-quote.ts';
import type { StateFolder } from '../state-folder.ts';
import { readOrCreateToken } from '../token-file.ts';

export interface OperatorPort {
  readonly address: HttpAddress;
  readonly token: string;
  readonly tokenFile: string;
}

/** The operator's own token, made at the first start: agents have theirs, and neither opens the other's port. */
export async function prepareOperator(address: HttpAddress, { path: folder }: StateFolder): Promise<OperatorPort> {
  const tokenFile = path.join(folder, 'operator-token');
  return { address, tokenFile, token: await readOrCreateToken(tokenFile) };
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
