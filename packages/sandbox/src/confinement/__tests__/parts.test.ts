import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Capture } from '../capture.ts';
import { Descriptors, findInherited, openData, openInput, openPlace, reopen } from '../descriptors.ts';
import { describeFailure } from '../failure.ts';
import { findProgram } from '../find-program.ts';
import { isWithin } from '../../files/is-within.ts';
import { readEndCode, readFirstProcess, toExit } from '../process-end.ts';
import { readStat, whenGone, whenGroupGone } from '../../processes/process-stat.ts';

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'devs-parts-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('what is kept of an output', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 });

  test('is its beginning and its end, and says how much is missing', () => {
    fc.assert(
      fc.property(chunks, fc.nat(120), (all, keepBytes) => {
        const capture = new Capture(keepBytes);
        for (const chunk of all) capture.add(Buffer.from(chunk));
        const whole = Buffer.concat(all);
        const { head, tail, omitted } = capture.output;
        expect(head.length + omitted + tail.length).toBe(whole.length);
        expect(Buffer.from(head).equals(whole.subarray(0, head.length))).toBe(true);
        expect(Buffer.from(tail).equals(whole.subarray(whole.length - tail.length))).toBe(true);
        expect(head.length + tail.length).toBe(Math.min(keepBytes, whole.length));
      }),
    );
  });

  test('stays what it was when more comes', () => {
    const capture = new Capture(4);
    capture.add(Buffer.from('abcdef'));
    const { head, tail } = capture.output;
    capture.add(Buffer.from('ghi'));
    expect([Buffer.from(head).toString(), Buffer.from(tail).toString()]).toEqual(['abc', 'f']);
  });
});

describe('how a box has ended', () => {
  test.each([
    [0, { kind: 'code', code: 0 }],
    [1, { kind: 'code', code: 1 }],
    [128, { kind: 'code', code: 128 }],
    [137, { kind: 'signal', signal: 'SIGKILL' }],
    [143, { kind: 'signal', signal: 'SIGTERM' }],
    [255, { kind: 'code', code: 255 }],
  ])('%d', (code, exit) => {
    expect(toExit(code)).toEqual(exit);
  });

  const first = '{ "child-pid": 4711, "cgroup-namespace": 1 }\n';
  test.each([
    ['', undefined, undefined],
    ['{ "child-pid": 47', undefined, undefined],
    [first, 4711, undefined],
    [`${first}{ "exit-code": 0 }\n`, 4711, 0],
    [`${first}{ "exit-code": 255 }\n`, 4711, 255],
    [`${first}{ "exit-code": 1`, 4711, undefined],
    // Words of a command are not on this pipe; nothing but whole lines is believed all the same.
    [`x${first}x{ "exit-code": 0 }\n`, undefined, undefined],
  ])('%j', (status, pid, code) => {
    expect([readFirstProcess(status), readEndCode(status)]).toEqual([pid, code]);
  });
});

describe('why bwrap did not begin', () => {
  test.each([
    ['bwrap: setting up uid map: Operation not permitted', /CAP_SETFCAP/],
    ['bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)', /no more user namespaces/],
    ['bwrap: Creating new namespace failed: No space left on device', /no more user namespaces/],
    ['bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.', /namespaces/],
    ['bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', /namespaces/],
    ['bwrap: Unknown option --disable-userns', /too old/],
    ['bwrap: prctl(PR_SET_SECCOMP): Invalid argument', /seccomp/],
    ['bwrap: something else\nand more', /"bwrap: something else"/],
    ['', /""/],
  ])('%s', (words, detail) => {
    const obstacle = describeFailure(words);
    expect(obstacle.detail).toMatch(detail);
    expect(obstacle.fix).not.toBe('');
  });
});

describe('programs', () => {
  const project = path.join(folder, 'project');
  const [tools, links] = [path.join(folder, 'tools'), path.join(folder, 'links')];
  for (const each of [project, tools, links]) mkdirSync(each);
  for (const place of [path.join(project, 'bwrap'), path.join(tools, 'bwrap')]) writeFileSync(place, '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(path.join(tools, 'closed'), '', { mode: 0o644 });
  mkdirSync(path.join(tools, 'folder'));
  symlinkSync(path.join(project, 'bwrap'), path.join(links, 'bwrap'));

  test.each([
    ['bwrap', tools, path.join(tools, 'bwrap')],
    ['bwrap', `${project}:${tools}`, path.join(tools, 'bwrap')],
    ['bwrap', `${links}:${tools}`, path.join(tools, 'bwrap')],
    ['bwrap', project, undefined],
    ['bwrap', links, undefined],
    ['bwrap', `.::${path.join(project, '..', 'project')}`, undefined],
    ['closed', tools, undefined],
    ['folder', tools, undefined],
    ['nothing', tools, undefined],
    ['bwrap', '', undefined],
  ])('%s in %s', (name, searchPath, found) => {
    expect(findProgram(name, searchPath, project)).toBe(found);
  });

  test.each([
    ['/a', '/a', true],
    ['/a/b', '/a', true],
    ['/ab', '/a', false],
    ['/', '/a', false],
    ['/a', '/', true],
  ])('%s within %s: %s', (inner, outer, expected) => {
    expect(isWithin(inner, outer)).toBe(expected);
  });
});

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('descriptors', () => {
  test('data can be read as often as it is opened, and has no name', () => {
    using opened = new Descriptors();
    const data = opened.keep(openData('some words'));
    expect([1, 2].map(() => readFileSync(opened.keep(reopen(data)), 'utf8'))).toEqual(['some words', 'some words']);
    expect(readFileSync(opened.keep(openInput('')), 'utf8')).toBe('');
  });

  test('are closed, but not when somebody else has them', () => {
    const [kept, given] = [openSync('/dev/null', 'r'), openSync('/dev/null', 'r')];
    {
      using opened = new Descriptors();
      opened.keep(given);
      opened.release();
      opened.keep(kept);
    }
    expect(() => closeSync(kept)).toThrow('EBADF');
    closeSync(given);
  });

  test('a place is what its path says, without a link anywhere', () => {
    mkdirSync(path.join(folder, 'real', 'inner'), { recursive: true });
    symlinkSync('real', path.join(folder, 'link'));
    symlinkSync('inner', path.join(folder, 'real', 'last'));
    closeSync(openPlace(path.join(folder, 'real', 'inner')));
    for (const name of ['link/inner', 'real/last', 'real/../real', 'real/']) {
      expect(() => openPlace(`${folder}/${name}`)).toThrow(expect.objectContaining({ code: 'COMMAND_REFUSED' }));
    }
    expect(() => openPlace(path.join(folder, 'absent'))).toThrow('ENOENT');
  });

  test('of a running Node none is inherited but what it was started with', () => {
    const own = openSync('/', 'r');
    expect(findInherited()).not.toContain(own);
    closeSync(own);
  });
});

onLinux('processes of the machine', () => {
  test('are told by their number', () => {
    expect(readStat(process.pid)).toMatchObject({ parent: process.ppid, state: expect.stringMatching(/^[RSD]$/), start: expect.stringMatching(/^\d+$/) });
    expect(readStat(2 ** 30)).toBeUndefined();
  });

  test.each([
    ['one', whenGone],
    ['a group', whenGroupGone],
  ])('are waited for: %s', async (_, wait) => {
    const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    await once(child, 'spawn');
    let isOver = false;
    const over = wait(child.pid ?? 0).then((isGone) => (isOver = isGone));
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    child.kill('SIGKILL');
    expect(await over).toBe(true);
  });

  test('that are not there have ended', async () => {
    expect(await Promise.all([whenGone(2 ** 30), whenGroupGone(2 ** 30)])).toEqual([true, true]);
  });
});

test('a program that nobody may look for is none', () => {
  const closed = path.join(folder, 'closed');
  mkdirSync(closed);
  writeFileSync(path.join(closed, 'bwrap'), '', { mode: 0o755 });
  chmodSync(closed, 0o000);
  const found = findProgram('bwrap', closed, '/nowhere');
  // An ordinary user could not take away what lies in it.
  chmodSync(closed, 0o700);
  expect(found === undefined || process.getuid?.() === 0).toBe(true);
});
