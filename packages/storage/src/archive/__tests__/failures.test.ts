import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ChainWriter } from '../../sqlite/chain-writer.ts';
import { callOf, createArchivePlace, outcomeOf, plantedIn, type ArchivePlace } from './fixtures.ts';

const POLICY = { payloadDays: 60, keepDays: 60 };

afterEach(() => {
  jest.restoreAllMocks();
});

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code, syscall: 'test' });
}

/** The payloads are erased; each record is still in the log, and no file beside it. */
async function expectNothingLeft(place: ArchivePlace, folder = place.archives): Promise<void> {
  expect(await place.verify()).toMatchObject({ verdict: 'intact', first: { seq: 1 }, erased: 4 });
  expect(place.query("SELECT count(*) AS triggers FROM sqlite_schema WHERE name = 'records_no_delete'")).toEqual([{ triggers: 1 }]);
  if (fs.existsSync(folder) && fs.statSync(folder).isDirectory()) expect(fs.readdirSync(folder)).toEqual([]);
}

describe('a folder of archives', () => {
  it.each([
    ['open to others', (folder: string) => fs.mkdirSync(folder, { mode: 0o755 }), /is accessible to other users. Run chmod 700 on it/],
    ['a file', (folder: string) => fs.writeFileSync(folder, ''), /is not a folder, or is a link to one/],
    ['a link', (folder: string) => fs.symlinkSync(path.dirname(folder), folder), /is not a folder, or is a link to one/],
    ['below one that is not there', undefined, /cannot be created or written \(the folder above it is not there\)/],
  ])('that is %s: the plan says so, and nothing is erased or moved', async (_, make, expected) => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const folder = make === undefined ? path.join(place.path, 'none', 'archives') : path.join(place.path, 'elsewhere');
    make?.(folder);
    const { forbidden } = await place.archiver(100).plan({ ...POLICY, folder });
    expect(forbidden).toMatch(expected);
    expect(forbidden).toContain(folder);
    expect(await place.archiver(100).run({ ...POLICY, folder })).toMatchObject({ erased: 0, archives: [], problems: [forbidden] });
    expect(await place.verify()).toMatchObject({ verdict: 'intact', first: { seq: 1 }, erased: 0 });
    // Where no record is to be moved it stands in nobody's way.
    expect(await place.archiver(100).run({ payloadDays: 60, folder })).toMatchObject({ erased: 4, problems: [] });
  });

  it('by default is looked at alike', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    fs.mkdirSync(place.archives, { mode: 0o755 });
    expect((await place.archiver(100).plan(POLICY)).forbidden).toBe(`The archive folder ${place.archives} is accessible to other users. Run chmod 700 on it.`);
  });

  it('that nobody can write to is refused before anything is erased', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    // Whoever is root may write anywhere: the system is asked, and its answer told.
    const spy = jest.spyOn(fs, 'accessSync').mockImplementation(() => {
      throw systemError('EROFS');
    });
    expect((await place.archiver(100).plan(POLICY)).forbidden).toBe(`The archive folder ${place.archives} cannot be created or written (it is read-only).`);
    expect(spy).toHaveBeenCalledWith(`${place.path}/.`, fs.constants.W_OK | fs.constants.X_OK);
  });

  it('that is opened to others while the log is read is refused too', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const onStep = (step: string) => {
      if (step === 'planned') fs.mkdirSync(place.archives, { mode: 0o755 });
    };
    expect(await place.archiver(100, { onStep }).run(POLICY)).toMatchObject({ erased: 4, archives: [], problems: [expect.stringMatching(/is accessible to other users/)] });
    await expectNothingLeft(place);
  });

  it('that somebody names gets them', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const folder = path.join(place.path, 'elsewhere');
    expect(await place.archiver(100).run({ ...POLICY, folder })).toMatchObject({ archives: [{ file: 'agent_logs.db.1-8.jsonl.gz' }], problems: [] });
    expect(fs.readdirSync(folder)).toEqual(['agent_logs.db.1-8.jsonl.gz']);
    expect(fs.existsSync(place.archives)).toBe(false);
  });
});

describe('a disk that is full', () => {
  it.each(['ENOSPC', 'EDQUOT'])('while the archive is written (%s)', async (code) => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const open = fsPromises.open;
    jest.spyOn(fsPromises, 'open').mockImplementation(async (...asked) => {
      const handle = await open(...asked);
      if (String(asked[0]).endsWith('.draft')) jest.spyOn(handle, 'write').mockRejectedValue(systemError(code));
      return handle;
    });
    expect(await place.archiver(100).run(POLICY)).toMatchObject({ erased: 4, archives: [], problems: ['The archive cannot be written (the disk is full).'] });
    jest.restoreAllMocks();
    await expectNothingLeft(place);
    expect(await place.archiver(101).run(POLICY)).toMatchObject({ archives: [{ from: 1 }], problems: [] });
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact', first: { seq: 1 } });
  });

  it('long before all of a large archive is written', async () => {
    using place = createArchivePlace();
    await using logs = place.open(0);
    for (let number = 1; number <= 60; number += 1) {
      await logs.append(outcomeOf(number, 0, { output: { content: [{ type: 'text', text: randomBytes(120_000).toString('base64') }] } }));
    }
    await logs.close();
    const open = fsPromises.open;
    jest.spyOn(fsPromises, 'open').mockImplementation(async (...asked) => {
      const handle = await open(...asked);
      if (String(asked[0]).endsWith('.draft')) jest.spyOn(handle, 'write').mockRejectedValue(systemError('ENOSPC'));
      return handle;
    });
    const policy = { payloadDays: 0, keepDays: 60 };
    expect(await place.archiver(100).run(policy)).toMatchObject({ archives: [], problems: ['The archive cannot be written (the disk is full).'], isJournalEmpty: true });
    jest.restoreAllMocks();
    expect(await place.archiver(101).run(policy)).toMatchObject({ archives: [{ from: 1 }], problems: [] });
  });

  it('when the archive is flushed', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const open = fsPromises.open;
    jest.spyOn(fsPromises, 'open').mockImplementation(async (...asked) => {
      const handle = await open(...asked);
      if (String(asked[0]).endsWith('.draft')) jest.spyOn(handle, 'sync').mockRejectedValue(systemError('ENOSPC'));
      return handle;
    });
    expect(await place.archiver(100).run(POLICY)).toMatchObject({ archives: [], problems: ['The archive cannot be written (the disk is full).'] });
    jest.restoreAllMocks();
    await expectNothingLeft(place);
  });

  it('when the archive gets its name', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const link = fs.linkSync;
    jest.spyOn(fs, 'linkSync').mockImplementation((from, to) => {
      if (String(to).endsWith('.gz')) throw systemError('ENOSPC');
      link(from, to);
    });
    expect(await place.archiver(100).run(POLICY)).toMatchObject({ archives: [], problems: ['The archive cannot be moved to its final name (the disk is full).'] });
    jest.restoreAllMocks();
    await expectNothingLeft(place);
  });

  it('or a folder that cannot be flushed after that', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const sync = fs.fsyncSync;
    let isPlaced = false;
    const link = fs.linkSync;
    jest.spyOn(fs, 'linkSync').mockImplementation((from, to) => {
      link(from, to);
      isPlaced = String(to).endsWith('.gz');
    });
    jest.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
      if (isPlaced) throw systemError('EIO');
      sync(descriptor);
    });
    expect(await place.archiver(100).run(POLICY)).toMatchObject({ archives: [], problems: expect.arrayContaining(['The archive cannot be moved to its final name (EIO).']) });
    jest.restoreAllMocks();
    await expectNothingLeft(place);
  });
});

describe('payloads that cannot be erased', () => {
  it('keep their records in the log: an archive would have them for ever', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    jest.spyOn(ChainWriter.prototype, 'writeFacts').mockImplementationOnce(() => {
      throw Object.assign(systemError('SQLITE_FULL'), { syscall: undefined });
    });
    expect(await place.archiver(100).run(POLICY)).toMatchObject({ erased: 0, archives: [], problems: ['Stopped: the disk of the call log is full.'] });
    expect(await place.verify()).toMatchObject({ verdict: 'intact', first: { seq: 1 }, erased: 0 });
    expect(await place.archiver(100).run(POLICY)).toMatchObject({ erased: 4, archives: [{}], problems: [] });
  });
});

describe('a fault in the transaction, after the archive has its name', () => {
  it('takes the archive away again', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const onStep = (step: string) => {
      if (step === 'placed') throw systemError('EIO');
    };
    expect(await place.archiver(100, { onStep }).run(POLICY)).toMatchObject({ erased: 4, archives: [], problems: ['Stopped: the system did not let it (EIO).'] });
    await expectNothingLeft(place);
  });

  it('leaves it where the disk may have the commit all the same, and the next run takes it away', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const onStep = (step: string) => {
      if (step === 'placed') throw Object.assign(new Error('flush'), { code: 'SQLITE_IOERR_FSYNC' });
    };
    expect(await place.archiver(100, { onStep }).run(POLICY)).toMatchObject({ archives: [], problems: [expect.stringMatching(/^Stopped: /)] });
    expect(fs.readdirSync(place.archives)).toEqual(['agent_logs.db.1-8.jsonl.gz']);
    const { archives, problems } = await place.archiver(101).run(POLICY);
    expect(problems).toEqual([]);
    expect(fs.readdirSync(place.archives)).toEqual(archives.map(({ file }) => file));
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact', first: { seq: 1 } });
  });

  it('never takes away one whose records have left, be it a single one', async () => {
    using place = createArchivePlace({ isSigned: false });
    await using logs = place.open(0);
    await logs.begin(callOf(1, 0));
    const onStep = (step: string) => {
      if (step !== 'checked') return;
      const spy = jest.spyOn(ChainWriter.prototype, 'writeFacts');
      spy.mockImplementationOnce(function (this: ChainWriter, work) {
        // The next one is the method itself.
        this.writeFacts(work);
        throw systemError('EIO');
      });
    };
    expect(await place.archiver(100, { onStep }).run({ ...POLICY, unsigned: true })).toMatchObject({ problems: ['Stopped: the system did not let it (EIO).'] });
    expect(place.archiveFiles()).toEqual(['agent_logs.db.1-1.jsonl.gz']);
    await logs.append(outcomeOf(1, 0));
    await logs.close();
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact', first: { seq: 1 } });
  });

  it('that is one of devs itself is not hidden, and loses nothing either', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const onStep = (step: string) => {
      if (step === 'placed') throw new TypeError('a fault');
    };
    await expect(place.archiver(100, { onStep }).run(POLICY)).rejects.toThrow('a fault');
    await expectNothingLeft(place);
    expect(plantedIn(place.path)).toEqual([]);
  });
});
