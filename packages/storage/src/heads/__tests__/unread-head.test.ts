import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import type { HeadKeeper } from '../head-keeper.ts';
import { recordOf } from '../../__tests__/fixtures.ts';
import { examineSqliteLog, openSqliteAgentLogs } from '../../index.ts';
import { checkHead, type SignedHead } from '../signed-head.ts';
import { createChain, createHeadPlace, STORE, type FakeChain, type HeadPlace } from './fixtures.ts';

const PAGE_BYTES = 4_096;

const headFile = ({ folder }: HeadPlace) => path.join(folder, `${STORE}.json`);

describe('a head that is out of reach', () => {
  it.each<[string, (place: HeadPlace) => void, string]>([
    ['is huge', (place) => fs.appendFileSync(headFile(place), ' '.repeat(10_000)), 'is larger than'],
    ['is open to others', (place) => fs.chmodSync(headFile(place), 0o666), 'is accessible to other users'],
    ['is a link', (place) => linkTo(headFile(place)), 'is a symbolic link'],
  ])('refuses to open when the head %s; a log that is open is signed again when it can be read', (_name, change, said) => {
    using place = createHeadPlace();
    const problems: string[] = [];
    const keeper = place.keeper({ onProblem: (sentence) => problems.push(sentence), clock: () => new Date(now) });
    let now = 0;
    requireSigned(keeper, createChain(5));
    const before = fs.readFileSync(headFile(place));
    change(place);
    const chain = createChain(2_000);
    expect(() => place.keeper().check(chain)).toThrow(said);
    for (const _again of [1, 2]) expect(keeper.sign(chain)).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining(said)]);
    expect(keeper.isDue(2_000, now)).toBe(false);
    fs.rmSync(headFile(place));
    fs.writeFileSync(headFile(place), before, { mode: 0o600 });
    now = 10_000;
    expect(keeper.isDue(2_000, now)).toBe(true);
    expect(checkHead(requireSigned(keeper, chain))).toMatchObject({ seq: 2_000 });
  });
});

describe('a head of a newer devs', () => {
  it('is left as it is: no log opens on it, and one that is open is not signed over it', () => {
    using place = createHeadPlace();
    const keeper = place.keeper();
    requireSigned(keeper, createChain(5));
    const newer = fs.readFileSync(headFile(place), 'utf8').replace('\\"v\\":1', '\\"v\\":2');
    expect(newer).toContain('\\"v\\":2');
    fs.writeFileSync(headFile(place), newer, { mode: 0o600 });
    expect(() => place.keeper().check(createChain(5))).toThrow('a newer devs wrote it');
    expect(() => keeper.sign(createChain(2_000))).toThrow('a newer devs wrote it');
    expect(fs.readFileSync(headFile(place), 'utf8')).toBe(newer);
  });
});

describe('a log that cannot be read', () => {
  it('is told as that, and not as heads that are out of reach: to adopt it would be the wrong advice', () => {
    using place = createHeadPlace();
    requireSigned(place.keeper(), createChain(5));
    const damaged = Object.assign(createChain(5), {
      leafAt: () => {
        throw Object.assign(new Error('malformed'), { code: 'SQLITE_CORRUPT' });
      },
    });
    for (const ask of ['check', 'sign', 'examine'] as const) expect(() => place.keeper()[ask](damaged)).toThrow('malformed');
  });
});

describe('a log with a damaged page', () => {
  it('is said to be one that cannot be read, and why, where somebody looks at it', async () => {
    using place = createHeadPlace();
    const logs = openSqliteAgentLogs({ file: place.log });
    await logs.append(recordOf());
    await logs.close();
    const database = new Database(place.log);
    database.pragma('wal_checkpoint(TRUNCATE)');
    const root = database.prepare<[], number>("SELECT rootpage FROM sqlite_schema WHERE name = 'records_facts'").pluck().get() ?? 0;
    database.close();
    const handle = fs.openSync(place.log, 'r+');
    fs.writeSync(handle, Buffer.alloc(PAGE_BYTES, 0xff), 0, PAGE_BYTES, (root - 1) * PAGE_BYTES);
    fs.closeSync(handle);
    expect(() => examineSqliteLog({ file: place.log, heads: place.keeper() })).toThrow(
      expect.objectContaining({ code: 'STATE_UNUSABLE', sentence: expect.stringContaining('cannot be read') }),
    );
  });
});

function linkTo(file: string): void {
  fs.renameSync(file, `${file}.real`);
  fs.symlinkSync(`${file}.real`, file);
}

function requireSigned(keeper: HeadKeeper, chain: FakeChain): SignedHead {
  const signed = keeper.sign(chain);
  if (signed === undefined) throw new Error('nothing was signed');
  return signed;
}
