import { createConfigCheck, DevsError } from '@devs/core';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { requireLayer } from './layer.ts';
import { assemble, findApplied } from './load-config.ts';
import type { LoadedConfig } from './loaded-config.ts';
import { configInvalid } from './operator-file.ts';
import type { ProjectFile } from './project-file.ts';
import type { Review } from './review.ts';
import { serversIn } from './server-files.ts';
import { findSources, type ConfigRequest } from './sources.ts';
import { listTaken } from './taken-variables.ts';
import { sha256Of, type TrustRecord } from './trust-record.ts';
import { isSameServers, listTrustedServers } from './trusted-servers.ts';
import { listUnknownRuns } from './unknown-runs.ts';

/** A file that may be trusted, read once: these bytes are hashed, checked, shown and, on a yes, recorded. */
export interface Candidate {
  readonly review: Review;
  readonly record: TrustRecord;
  readonly isTrusted: boolean;
}

/**
 * Prepares a file of the project to be looked at. Throws `CONFIG_INVALID` with the reason for one that
 * cannot be trusted: it is a link, too large, broken, or no record would be believed here.
 */
export async function findCandidate(request: ConfigRequest, now: Date): Promise<Candidate> {
  const sources = await findSources(request);
  if (sources.kind === 'operator') {
    const file = JSON.stringify(sources.path);
    throw new CommandFailure(EXIT.usage, `${file} is outside the project: it applies when you name it, and needs no trust.`);
  }
  const [file, ...others] = sources.project;
  const bytes = requireTrustable(file);
  const { written, values } = await requireLayer({ path: file.path, bytes }, { variables: request.variables, check: createConfigCheck() });
  const listing = await listTrustedServers(values, request);
  const record = { path: file.path, sha256: sha256Of(bytes), bytes, trustedAt: now.toISOString(), servers: listing.servers };
  const without = await assemble(sources, findApplied(others), request);
  const inForce = await assembleOr(without, async () => assemble(sources, findApplied(sources.project), request));
  const after = await assemble(sources, { ...file, record }, request);
  const trusted = file.record;
  const { root, variables } = request;
  const unknownRuns = listUnknownRuns(serversIn(values), { root, variables }, after.config.sandbox.upstreams);
  const taken = listTaken(written, variables);
  const servers = { ...listing, trusted: trusted?.servers ?? [], unknownRuns, taken };
  const review = { file: file.path, sha256: record.sha256, written, servers, now: inForce, without, after };
  return { review, record, isTrusted: trusted?.sha256 === record.sha256 && isSameServers(trusted.servers, listing) };
}

function requireTrustable({ path, current, distrust }: ProjectFile): Buffer {
  if (distrust !== undefined) throw configInvalid(path, `cannot be trusted: ${distrust}.`);
  if (current.kind === 'absent') throw configInvalid(path, 'does not exist, so there is nothing to trust.');
  if (current.kind === 'unusable') throw configInvalid(path, `cannot be trusted: it ${current.problem}.`);
  return current.bytes;
}

/** What was trusted may not be usable any more, under a newer schema: that must not keep a better file from being trusted. */
async function assembleOr(fallback: LoadedConfig, attempt: () => Promise<LoadedConfig>): Promise<LoadedConfig> {
  try {
    return await attempt();
  } catch (cause) {
    if (DevsError.is(cause) && cause.code === 'CONFIG_INVALID') return fallback;
    throw cause;
  }
}
