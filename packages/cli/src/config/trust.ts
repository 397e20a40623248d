import { createConfigCheck, DevsError } from '@devs/core';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { requireLayer } from './layer.ts';
import { assemble, findApplied, type LoadedConfig } from './load-config.ts';
import { configInvalid } from './operator-file.ts';
import type { ProjectFile } from './project-file.ts';
import type { Review } from './review.ts';
import { listServerFiles, serversIn, type ServerFile } from './server-files.ts';
import { findSources, type ConfigRequest } from './sources.ts';
import { sha256Of, type TrustRecord } from './trust-record.ts';

/** Of JSON: a record has this much room beside the file itself. */
const MAX_FILES_BYTES = 131_072;

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
    throw new CommandFailure(EXIT.usage, `${file} lies outside the project: it is in force when it is named, and needs no trust.`);
  }
  const [file, ...others] = sources.project;
  const bytes = requireTrustable(file);
  const { written, values } = await requireLayer({ path: file.path, bytes }, { variables: request.variables, check: createConfigCheck() });
  const files = await listFiles(values, request);
  const record = { path: file.path, sha256: sha256Of(bytes), bytes, trustedAt: now.toISOString(), files };
  const without = await assemble(sources, findApplied(others), request);
  const inForce = await assembleOr(without, async () => assemble(sources, findApplied(sources.project), request));
  const after = await assemble(sources, { ...file, record }, request);
  const trusted = file.record;
  const review = { file: file.path, sha256: record.sha256, written, files, trustedFiles: trusted?.files ?? [], now: inForce, without, after };
  return { review, record, isTrusted: trusted?.sha256 === record.sha256 && isSame(trusted.files ?? [], files) };
}

async function listFiles(values: Readonly<Record<string, unknown>>, { root, variables }: ConfigRequest): Promise<readonly ServerFile[]> {
  const files = await Promise.all(serversIn(values).map(async ([, server]) => listServerFiles(server, { root, variables })));
  const all = [...new Map(files.flat().map((file) => [file.path, file])).values()];
  if (Buffer.byteLength(JSON.stringify(all)) <= MAX_FILES_BYTES) return all;
  throw new DevsError('CONFIG_INVALID', { sentence: 'The servers of the file name more files of the project than can be recorded.' });
}

function isSame(trusted: readonly ServerFile[], files: readonly ServerFile[]): boolean {
  const digests = new Map(trusted.map(({ path, sha256 }) => [path, sha256]));
  return digests.size === files.length && files.every(({ path, sha256 }) => digests.get(path) === sha256);
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
