import fs from 'node:fs';
import { expect } from '@jest/globals';
import Database from 'better-sqlite3';
import { callId, recordOf, startChild } from '../../__tests__/fixtures.ts';
import { leafOf } from '../../chain/record.ts';
import { openSqliteAgentLogs } from '../../index.ts';
import { judgeHead, toHead, toSignedHead, type SignedHead } from '../signed-head.ts';
import { openSigningKey } from '../signing-key.ts';
import type { HeadPlace } from './fixtures.ts';

export interface Row {
  readonly seq: number;
  readonly header: Record<string, unknown>;
  readonly leaf: string;
}

export function rowsOf(file: string): readonly Row[] {
  if (!fs.existsSync(file) || fs.statSync(file).size === 0) return [];
  const database = new Database(file, { readonly: true });
  const rows = database.prepare<[], { seq: number; header: string }>('SELECT seq, header FROM records ORDER BY seq').all();
  database.close();
  return rows.map(({ seq, header }) => ({ seq, header: JSON.parse(header) as Record<string, unknown>, leaf: leafOf(header) }));
}

export function headsIn(rows: readonly Row[]): readonly SignedHead[] {
  return rows.flatMap(({ header }) => {
    const signed = header['kind'] === 'audit.head' ? toSignedHead({ head: header['head'], signature: header['signature'] }) : undefined;
    return signed ?? [];
  });
}

export async function writeCalls(place: HeadPlace, from: number, count: number): Promise<void> {
  await using logs = openSqliteAgentLogs({ file: place.log, heads: place.keeper() });
  for (let number = from; number < from + count; number += 1) await logs.append(recordOf({ id: callId(number) }));
}

/** Every head in the log stands in it at its place, and the last is what is remembered, or older. */
export function expectConsistent(place: HeadPlace): void {
  const rows = rowsOf(place.log);
  const { publicKey } = openSigningKey(place.keyFile);
  const files = Object.entries(place.remembered()).filter(([name]) => /^[0-9a-f]{32}\.json$/.test(name));
  const remembered = files.flatMap(([, text]) => toSignedHead(JSON.parse(text)) ?? []);
  expect(remembered.length).toBe(files.length);
  const store = rows.find(({ header }) => 'store' in header)?.header['store'];
  for (const signed of [...headsIn(rows), ...remembered]) {
    expect(judgeHead(signed, publicKey)).toBe('valid');
    const head = toHead(signed.head);
    // Of a log that was given up for another its last head stays.
    if (head?.store === store) expect(rows.find(({ seq }) => seq === head?.seq)?.leaf).toBe(head?.leaf);
  }
}

/** A process that writes and signs the log of a place. */
export function startWriter(place: HeadPlace, name: string, ...more: readonly string[]) {
  return startChild('../heads/__tests__/child-log.ts', place.log, place.keyFile, place.folder, name, ...more);
}
