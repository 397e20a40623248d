import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describeCause, type DevsCoreConfig } from '@devs/core';
import {
  hasSystemLog,
  HeadKeeper,
  openSigningKey,
  publishToFile,
  publishToSystemLog,
  readSigningKey,
  type HeadPublisher,
  type SigningKey,
} from '@devs/storage';
import { findAccountHome, findProject } from './config/project.ts';
import type { ConfigRequest } from './config/sources.ts';
import { isBroughtByProject, userFolder } from './config/user-file.ts';

/**
 * Where the key lies that logs are signed with, and what is remembered of them: apart from the logs, so that whoever
 * can change those has not changed these too. `DEVS_STATE_DIR` does not move it.
 */
export interface LogKeys {
  /** `${XDG_CONFIG_HOME:-~/.config}/devs/log-signing.key`. */
  readonly keyFile: string;
  /** `log-heads` beside it: `<store>.json` is the last signed head of a log. */
  readonly headsFolder: string;
  /** Why logs are not signed here; undefined when they are. */
  readonly notUsed: string | undefined;
}

/** Finds the place by the same rules as the user's own configuration. Makes nothing. */
export async function locateLogKeys({ root, named, variables, startedIn = process.cwd() }: ConfigRequest): Promise<LogKeys> {
  const accountHome = await findAccountHome();
  const project = await findProject({ root, startedIn, named, accountHome });
  const folder = userFolder({ variables, home: os.homedir() });
  const places = { keyFile: path.join(folder, 'log-signing.key'), headsFolder: path.join(folder, 'log-heads') };
  const brought = await Promise.all(Object.values(places).map(async (place) => isBroughtByProject(place, { accountHome, project })));
  const notUsed = brought.includes(true) ? `${JSON.stringify(folder)} is inside the project, where an agent could change what devs remembers` : undefined;
  return { ...places, notUsed };
}

/** The public key that logs are signed with here. Undefined when there is none, or it would be the project's; never makes one. */
export function pinnedPublicKey({ keyFile, notUsed }: LogKeys): KeyObject | undefined {
  return notUsed === undefined ? readSigningKey(keyFile)?.publicKey : undefined;
}

export interface LogSigning {
  readonly keys: LogKeys;
  /** Absolute path of the log. */
  readonly logFile: string;
  readonly audit: DevsCoreConfig['audit'];
  /** Told what does not work, in a sentence. */
  readonly onProblem: (sentence: string) => void;
}

/**
 * Who signs the log; makes the key at the first start. Undefined where there can be none, which is said.
 * @throws DevsError `STATE_UNUSABLE` for a key that is there and cannot be trusted
 */
export function openHeadKeeper(signing: LogSigning): HeadKeeper | undefined {
  const key = openKey(signing.keys, signing.onProblem);
  return key === undefined ? undefined : createHeadKeeper(signing, key);
}

/**
 * The same for whoever only looks: makes no key, and where there is none yet, has none.
 * @throws DevsError `STATE_UNUSABLE` for a key that is there and cannot be trusted
 */
export function lookForHeadKeeper(signing: LogSigning): HeadKeeper | undefined {
  const { keys: { keyFile, notUsed }, onProblem } = signing;
  if (notUsed === undefined) return createHeadKeeper(signing, readSigningKey(keyFile));
  onProblem(describeNotUsed(notUsed));
  return undefined;
}

function createHeadKeeper({ keys, logFile, audit, onProblem }: LogSigning, key: SigningKey | undefined): HeadKeeper {
  const { everyRecords, everySeconds } = audit.heads;
  return new HeadKeeper({ key, folder: keys.headsFolder, log: logFile, everyRecords, everySeconds, publishers: createPublishers(audit), onProblem });
}

function describeNotUsed(why: string): string {
  return `The call log is not signed: ${why}.`;
}

/** The same to look only: makes no key, signs nothing. Undefined where logs are not signed. Throws for a key that cannot be trusted. */
export function openHeadWitness({ keys, logFile, audit }: Omit<LogSigning, 'onProblem'>): HeadKeeper | undefined {
  const { keyFile, headsFolder, notUsed } = keys;
  const { everyRecords, everySeconds } = audit.heads;
  return notUsed === undefined ? new HeadKeeper({ key: readSigningKey(keyFile), folder: headsFolder, log: logFile, everyRecords, everySeconds }) : undefined;
}

/** Where heads go beside what is remembered here. The system log where there is one: many a container has none. */
function createPublishers({ heads: { systemLog, file } }: DevsCoreConfig['audit']): readonly HeadPublisher[] {
  return [...(systemLog && hasSystemLog() ? [publishToSystemLog()] : []), ...(file === null ? [] : [publishToFile(file)])];
}

function openKey({ keyFile, headsFolder, notUsed }: LogKeys, onProblem: (sentence: string) => void): SigningKey | undefined {
  try {
    if (notUsed === undefined) return openSigningKey(keyFile);
    onProblem(describeNotUsed(notUsed));
  } catch (cause) {
    // A home that cannot be written has never held a head. Where one was remembered, to go on would be to forget it.
    if (readSigningKey(keyFile) !== undefined || existsSync(headsFolder)) throw cause;
    onProblem(`The call log is not signed: there can be no key (${describeCause(cause)}).`);
  }
  return undefined;
}
