import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, it } from '@jest/globals';
import { createTempFolder } from '../../__tests__/fixtures.ts';
import { publishToFile } from '../publish-to-file.ts';
import { hasSystemLog, publishToSystemLog } from '../publish-to-system-log.ts';
import { readHeads } from '../read-heads.ts';
import { signHead, toHeadLine } from '../signed-head.ts';
import { createSigner, leaf, STORE } from './fixtures.ts';

const signer = createSigner();
const headOf = (seq: number) => signHead({ store: STORE, seq, leaf: leaf(seq) }, signer, new Date(0));

function seqsIn(text: string): readonly number[] {
  return readHeads(text).found.flatMap((found) => (found.kind === 'head' ? [found.head.seq] : []));
}

describe('publishToFile', () => {
  it('makes the file for its owner alone, and adds a line a head', async () => {
    using temp = createTempFolder();
    const file = path.join(temp.path, 'heads');
    const publisher = publishToFile(file);
    for (const seq of [3, 7]) await publisher.publish(headOf(seq));
    await publishToFile(file).publish(headOf(9));
    expect(fs.readFileSync(file, 'utf8')).toBe([3, 7, 9].map((seq) => `${toHeadLine(headOf(seq))}\n`).join(''));
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(publisher.name).toBe(`the file "${file}"`);
  });

  it('begins a line of its own after one that a crash has cut off', async () => {
    using temp = createTempFolder();
    const file = path.join(temp.path, 'heads');
    await publishToFile(file).publish(headOf(3));
    fs.truncateSync(file, 50);
    await publishToFile(file).publish(headOf(7));
    const read = readHeads(fs.readFileSync(file, 'utf8'));
    expect([read.found.map(({ line }) => line), read.refused.map(({ line }) => line)]).toEqual([[2], [1]]);
  });

  it('may add to a list of heads that others can read', async () => {
    using temp = createTempFolder();
    const file = path.join(temp.path, 'heads');
    await publishToFile(file).publish(headOf(3));
    fs.chmodSync(file, 0o644);
    await publishToFile(file).publish(headOf(7));
    expect(seqsIn(fs.readFileSync(file, 'utf8'))).toEqual([3, 7]);
  });

  it.each<[string, (file: string) => void, string]>([
    // The configuration of a project that somebody trusted may name any file.
    ['of something else', (file) => fs.writeFileSync(file, '#!/bin/sh\n'), 'contains something other than heads'],
    ['shorter than a head, of something else', (file) => fs.writeFileSync(file, '{"h'.repeat(2)), 'contains something other than heads'],
    ['that others can write', (file) => {
      fs.writeFileSync(file, '');
      fs.chmodSync(file, 0o622);
    }, 'can be written by other users'],
    ['that is a link', (file) => {
      fs.writeFileSync(`${file}.real`, '');
      fs.symlinkSync(`${file}.real`, file);
    }, 'ELOOP'],
    ['that is a folder', (file) => fs.mkdirSync(file), 'EISDIR'],
    ['in a folder that is not there', (file) => fs.rmdirSync(path.dirname(file)), 'ENOENT'],
  ])('leaves a file alone %s', async (_name, make, said) => {
    using temp = createTempFolder();
    const file = path.join(temp.path, 'inner', 'heads');
    fs.mkdirSync(path.dirname(file));
    make(file);
    const before = fs.existsSync(file) && fs.statSync(file).isFile() ? fs.readFileSync(file, 'utf8') : undefined;
    await expect(publishToFile(file).publish(headOf(3))).rejects.toThrow(said);
    if (before !== undefined) expect(fs.readFileSync(file, 'utf8')).toBe(before);
  });
});

/** What stands in for the system log: a socket that takes what is written. */
async function listen(socket: string): Promise<AsyncDisposable & { readonly text: () => Promise<string> }> {
  let got = '';
  let ended: () => void = () => undefined;
  const first = new Promise<void>((resolve) => (ended = resolve));
  const server = net.createServer((connection) => {
    connection.on('error', () => undefined);
    connection.on('data', (chunk) => (got += String(chunk)));
    connection.on('close', ended);
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    text: async () => first.then(() => got),
    [Symbol.asyncDispose]: async () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** `logger` of util-linux speaks to a socket of ours; that of another system knows no such option. */
const canListen = process.platform === 'linux' && fs.existsSync('/usr/bin/logger');

describe('publishToSystemLog', () => {
  it('writes a line from which the head can be read again', async () => {
    if (!canListen) return;
    using temp = createTempFolder();
    const socket = path.join(temp.path, 'log');
    await using server = await listen(socket);
    expect(hasSystemLog({ socket })).toBe(true);
    await publishToSystemLog({ socket }).publish(headOf(7));
    const text = await server.text();
    expect(text).toContain(`devs: devs-head ${toHeadLine(headOf(7))}`);
    // auth (4), notice (5): 4 * 8 + 5.
    expect(text).toMatch(/^<37>/);
    expect(seqsIn(text.replaceAll('\u0000', ''))).toEqual([7]);
  });

  it('rejects where nobody listens: logger itself says nothing', async () => {
    if (!canListen) return;
    using temp = createTempFolder();
    const socket = path.join(temp.path, 'log');
    await expect(publishToSystemLog({ socket }).publish(headOf(7))).rejects.toThrow('there is no system log here');
    fs.writeFileSync(socket, '');
    expect(hasSystemLog({ socket })).toBe(false);
    fs.rmSync(socket);
    // A socket that is left over from somebody who has gone.
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    fs.linkSync(socket, `${socket}.left`);
    await new Promise((resolve) => server.close(resolve));
    expect(hasSystemLog({ socket: `${socket}.left` })).toBe(true);
    await expect(publishToSystemLog({ socket: `${socket}.left` }).publish(headOf(7))).rejects.toThrow('socket');
  });

  it.each<[string, string, string | undefined]>([
    ['without the option of util-linux', 'case "$1" in --socket-errors*) echo "unrecognized option" >&2; exit 1;; esac; printf "%s\\n" "$@" > "$0.said"', undefined],
    ['that fails', 'echo "no space left" >&2; exit 1', 'no space left'],
    ['that hangs', 'exec sleep 60', 'took too long'],
    ['that talks without end', 'exec yes', 'logger ended with'],
    ['that knows the environment', 'test -z "$HOME$XDG_CONFIG_HOME$SECRET" || exit 9; printf "%s\\n" "$@" > "$0.said"', undefined],
  ])('bears a logger %s', async (_name, script, said) => {
    using temp = createTempFolder();
    const program = path.join(temp.path, 'logger');
    fs.writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
    const socket = path.join(temp.path, 'log');
    await using _server = await listen(socket);
    const published = publishToSystemLog({ socket, program, limitMs: said === 'took too long' ? 500 : 60_000 }).publish(headOf(7));
    if (said !== undefined) {
      await expect(published).rejects.toThrow(said);
      return;
    }
    await published;
    expect(seqsIn(fs.readFileSync(`${program}.said`, 'utf8'))).toEqual([7]);
  });

  it('says that there is none where there is no logger', async () => {
    const options = { program: '/nowhere/logger' };
    await expect(publishToSystemLog(options).publish(headOf(7))).rejects.toThrow();
  });
});
