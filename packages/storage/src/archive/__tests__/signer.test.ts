import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openSqliteAgentLogs, type HeadKeeper } from '../../index.ts';
import { dayAt, keeperOf } from './archiver.ts';
import { createArchivePlace, outcomeOf, type ArchivePlace } from './fixtures.ts';

const POLICY = { payloadDays: 60, keepDays: 60 };

/** Who has another key than the one that the log is signed with. */
function strangerOf(place: ArchivePlace): HeadKeeper {
  return keeperOf(place.path, 'elsewhere');
}

/** Who has the very key, and remembers in a folder of its own. */
function twinOf(place: ArchivePlace, names: readonly string[]): HeadKeeper {
  place.keeper();
  for (const name of names) fs.cpSync(path.join(place.path, 'config', name), path.join(place.path, 'twin', name), { recursive: true });
  fs.chmodSync(path.join(place.path, 'twin'), 0o700);
  return keeperOf(place.path, 'twin');
}

function headsIn(place: ArchivePlace): readonly { readonly key: string }[] {
  return place.query<{ key: string }>("SELECT header ->> '$.head' ->> '$.key' AS key FROM records WHERE kind = 'audit.head' ORDER BY seq");
}

describe('a log that somebody else signs', () => {
  const OTHERS: readonly [string, (place: ArchivePlace) => HeadKeeper | undefined, (place: ArchivePlace, other: HeadKeeper | undefined) => string[]][] = [
    ['with another key', strangerOf, (place, other) => [place.keeper().keyId ?? '', `here it is ${other?.keyId}`]],
    ['while nobody does here', () => undefined, (place) => [place.keeper().keyId ?? '', 'there is none here']],
  ];

  it.each(OTHERS)('%s loses no record, so that those who sign it go on', async (_, other, expected) => {
    using place = createArchivePlace();
    await using server = place.open(0);
    await server.append(outcomeOf(1, 0));
    await place.write(0, [2, 5]);
    const signed = headsIn(place);
    const heads = other(place);
    // Again and again, since a run that erases writes to the log too. `--unsigned` is for logs that nobody signs.
    for (const [run, unsigned] of [false, true, true].entries()) {
      const { pruning } = await place.archiver(100 + run, { heads }).plan({ ...POLICY, unsigned });
      for (const part of expected(place, heads)) expect(pruning.forbidden).toContain(part);
      const report = await place.archiver(100 + run, { heads }).run({ ...POLICY, unsigned });
      expect(report).toMatchObject({ erased: run === 0 ? 9 : 0, archives: [], problems: [pruning.forbidden] });
    }
    expect(fs.existsSync(place.archives)).toBe(false);
    expect(headsIn(place)).toEqual(signed);
    await server.append(outcomeOf(6, 100));
    await server.close();
    await place.write(103, [7, 7]);
    expect(await place.archiver(104).run(POLICY)).toMatchObject({ problems: [], archives: [{ from: 1 }] });
    await place.write(105, [8, 8]);
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact', first: { seq: 1 } });
  });

  it('with this very key, and remembers more elsewhere, loses no record', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const heads = twinOf(place, ['log-signing.key', 'log-heads']);
    await place.write(0, [3, 5]);
    const { pruning } = await place.archiver(100, { heads }).plan(POLICY);
    for (const part of [place.keeper().keyId ?? '', 'not remembered here']) expect(pruning.forbidden).toContain(part);
    expect(await place.archiver(100, { heads }).run(POLICY)).toMatchObject({ archives: [], problems: [pruning.forbidden] });
  });

  it('with this very key, and of which nothing is remembered here, is not touched', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 5]);
    const heads = twinOf(place, ['log-signing.key']);
    const before = place.query('SELECT seq, payload FROM records');
    expect((await place.archiver(100, { heads }).plan(POLICY)).forbidden).toContain('What devs remembered of the call log is gone');
    await expect(place.archiver(100, { heads }).run(POLICY)).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
    expect(place.query('SELECT seq, payload FROM records')).toEqual(before);
  });

  it('may be archived here once devs has signed it here', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 5]);
    const heads = strangerOf(place);
    expect((await place.archiver(100, { heads }).plan(POLICY)).pruning.forbidden).not.toBeNull();
    await using logs = openSqliteAgentLogs({ file: place.log, durability: 'process', now: () => dayAt(100), heads });
    await logs.append(outcomeOf(6, 100));
    await logs.close();
    expect(await place.archiver(100, { heads: strangerOf(place) }).run(POLICY)).toMatchObject({ problems: [], archives: [{ from: 1 }] });
  });

  it('is not taken for one of nobody where the head is none', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const [trigger] = place.query<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE name = 'records_erase_only'");
    place.tamper(`DROP TRIGGER records_erase_only; UPDATE records SET header = replace(header, '\\"v\\":1', '\\"v\\":2') WHERE kind = 'audit.head'; ${trigger?.sql ?? ''}`);
    expect((await place.archiver(100).plan(POLICY)).pruning.forbidden).toContain('with the key of nobody');
  });
});
