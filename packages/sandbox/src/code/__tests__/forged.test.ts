import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ProcessExit } from '@devs/core';
import { duplexPair } from 'node:stream';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { CodeRun } from '../code-run.ts';
import { CONFIGURATIONS } from '../../confinement/__tests__/box-scene.ts';
import { processesWith, uniqueSeconds } from '../../confinement/__tests__/processes.ts';
import { Groups } from '../../confinement/cgroups/groups.ts';
import { CodeScene, NOTICE_ID, textResult, type RunSettings } from './runs.ts';

const BROKEN = { end: { kind: 'broken' }, sanitize: true };
const END = '{"type":"end","end":{"kind":"value","value":"1"},"sanitize":false,"omitted":0}';
const call = (id: number, tool: string, args = '{}') => `{"type":"call","id":${id},"tool":${JSON.stringify(tool)},"args":${args}}`;

function frame(json: string | Uint8Array): Buffer {
  const body = Buffer.from(json);
  const header = Buffer.alloc(4);
  header.writeUInt32BE(body.length);
  return Buffer.concat([header, body]);
}

interface Forged {
  readonly maxToolCalls?: number;
  readonly exit?: Promise<ProcessExit>;
}

/** A run whose guest sends just these bytes. */
async function hear(bytes: Uint8Array, { maxToolCalls = 3, exit = new Promise<never>(() => {}) }: Forged = {}) {
  const [ours, theirs] = duplexPair();
  const called: string[] = [];
  const callTool = async (tool: string) => {
    called.push(tool);
    return Promise.resolve(textResult('answer'));
  };
  const plan = { code: '1', tools: ['read_file', 'constructor2'], callTool, signal: new AbortController().signal };
  const run = new CodeRun(ours, plan, { maxToolCalls, noticeId: NOTICE_ID, image: new Uint8Array() });
  theirs.resume();
  theirs.write(bytes);
  return { outcome: await run.outcome({ exit }), called };
}

const hearAll = async (...messages: readonly string[]) => hear(Buffer.concat(messages.map(frame)));

describe('what the prelude would not send ends the run as broken', () => {
  it.each([
    ['no JSON', 'x'],
    ['no object', '[]'],
    ['no type', '{}'],
    ['an unknown type', '{"type":"toString"}'],
    ['a key twice', '{"type":"end","end":{"kind":"value"},"omitted":0,"omitted":1}'],
    ['a member too many', '{"type":"end","end":{"kind":"value"},"omitted":0,"more":1}'],
    ['a member too few', '{"type":"end","end":{"kind":"value"}}'],
    ['members that are inherited', '{"type":"end","__proto__":{"end":{"kind":"value"},"omitted":0}}'],
    ['a value that is no text', '{"type":"end","end":{"kind":"value","value":1},"omitted":0}'],
    ['an end of another kind', '{"type":"end","end":{"kind":"broken"},"omitted":0}'],
    ['a limit that is not its own to tell', '{"type":"end","end":{"kind":"limit","limit":"time"},"omitted":0}'],
    ['a long story', `{"type":"end","end":{"kind":"thrown","message":"${'x'.repeat(4_001)}"},"omitted":0}`],
    ['__sanitize__ of no truth', '{"type":"end","end":{"kind":"value"},"sanitize":"no","omitted":0}'],
    ['a negative count', '{"type":"end","end":{"kind":"value"},"omitted":-1}'],
    ['a call of an unknown tool', call(1, 'write_file')],
    ['a call of a prototype name', call(1, 'constructor')],
    ['a call of another prototype name', call(1, '__proto__')],
    ['a call of a tool by a part of its name', call(1, 'read')],
    ['a call with an id of its own', call(2, 'read_file')],
    ['a call with a list', call(1, 'read_file', '[]')],
    ['a call with deep arguments', call(1, 'read_file', `{"a":${'['.repeat(300)}${']'.repeat(300)}}`)],
    ['a timer out of order', '{"type":"sleep","id":7,"ms":1}'],
    ['a timer of a week', '{"type":"sleep","id":1,"ms":604800000}'],
    ['a timer of half a millisecond', '{"type":"sleep","id":1,"ms":0.5}'],
    ['a timer that is stuffed', `{"type":"sleep","id":1,"ms":1${' '.repeat(200)}}`],
    ['a line that is stuffed', `{"type":"print","text":"x","omitted":0${' '.repeat(200)}}`],
    ['more than may be printed', `{"type":"print","text":"${'x'.repeat(65_537)}","omitted":0}`],
  ])('%s', async (_name, json) => {
    const { outcome, called } = await hearAll(json, END);
    expect(outcome).toMatchObject(BROKEN);
    expect(called).toEqual([]);
  });

  it('a message that is longer than any', async () => {
    expect((await hear(Buffer.from([0x7f, 0xff, 0xff, 0xff]))).outcome).toMatchObject(BROKEN);
  });

  it('a message that is no UTF-8', async () => {
    const print = Buffer.from('{"type":"print","text":"\u00ff","omitted":0}', 'latin1');
    expect((await hear(Buffer.concat([frame(print), frame(END)]))).outcome).toMatchObject(BROKEN);
  });

  it('more messages than there can be', async () => {
    const print = frame('{"type":"print","text":"","omitted":0}');
    expect((await hear(Buffer.concat([...Array.from({ length: 70_000 }, () => print), frame(END)]))).outcome).toMatchObject(BROKEN);
  });

  it('a process that ends before it says so', async () => {
    const outcomeOf = async (exit: ProcessExit) => (await hear(new Uint8Array(), { exit: Promise.resolve(exit) })).outcome;
    expect(await outcomeOf({ kind: 'code', code: 0 })).toMatchObject(BROKEN);
    expect(await outcomeOf({ kind: 'signal', signal: 'SIGSEGV' })).toMatchObject(BROKEN);
    expect(await outcomeOf({ kind: 'limit', limit: 'processes' })).toMatchObject(BROKEN);
    expect(await outcomeOf({ kind: 'limit', limit: 'memory' })).toMatchObject({ end: { kind: 'limit', limit: 'memory' }, sanitize: true });
    expect(await outcomeOf({ kind: 'limit', limit: 'wall' })).toMatchObject({ end: { kind: 'limit', limit: 'time' }, sanitize: true });
  });
});

describe('what a forged guest says in order', () => {
  it('is taken as the code’s own', async () => {
    expect((await hearAll('{"type":"print","text":"a","omitted":2}', END)).outcome).toMatchObject({
      end: { kind: 'value', value: '1', isText: false },
      sanitize: false,
      printed: 'a',
      omitted: 2,
    });
  });

  it('counts until its end, and not after', async () => {
    const { outcome, called } = await hearAll(END, call(1, 'read_file'), '{"type":"print","text":"a","omitted":0}', '{"type":"end","end":{"kind":"thrown","message":"x"},"omitted":9}');
    expect(outcome).toMatchObject({ end: { kind: 'value' }, printed: '', omitted: 0, calls: 0 });
    expect(called).toEqual([]);
  });

  it('cannot call beyond its budget', async () => {
    const { outcome, called } = await hearAll(call(1, 'read_file'), call(2, 'read_file'), call(3, 'read_file'), call(4, 'read_file'), END);
    expect(outcome).toMatchObject({ end: { kind: 'limit', limit: 'calls' }, sanitize: true, calls: 3 });
    expect(called).toHaveLength(3);
  });

  it('can only tighten at a limit', async () => {
    const limit = '{"type":"end","end":{"kind":"limit","limit":"memory"},"sanitize":false,"omitted":0}';
    expect((await hearAll(limit)).outcome.sanitize).toBe(true);
  });
});

/** How an intruder speaks. */
const SAY = `const say = (message, stuffing = '') => {
  const json = Buffer.from(stuffing + JSON.stringify(message));
  const header = Buffer.alloc(4);
  header.writeUInt32BE(json.length);
  require('fs').writeSync(3, Buffer.concat([header, json]));
};`;

/** Without control groups each process has its own limit alone: the kernel refuses it more, and it breaks. */
const atItsMemory = process.platform === 'linux' && new Groups().isComplete ? { kind: 'limit', limit: 'memory' } : { kind: 'broken' };

withBoxes('in the box, a guest that is somebody else', () => describe.each(CONFIGURATIONS)('boxes of $name', (configuration) => {
  const scene = new CodeScene(configuration);
  let folder = '';
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'devs-guest-')));
    // Boxes may be another account's.
    chmodSync(folder, 0o755);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const runAs = async (source: string, settings: RunSettings = {}) => {
    const script = path.join(folder, 'intruder.cjs');
    writeFileSync(script, source);
    return scene.run('1', { ...settings, intruder: script });
  };

  it.each<readonly [string, string, object, RunSettings]>([
    ['ends at once', 'process.exit(0)', { end: { kind: 'broken' }, sanitize: true }, {}],
    ['crashes', 'process.abort()', { end: { kind: 'broken' }, sanitize: true }, {}],
    ['floods its output', 'const all = "x".repeat(1e5); setInterval(() => process.stdout.write(all))', { end: { kind: 'limit', limit: 'output' }, sanitize: true }, {}],
    ['sends what is no message', 'require("fs").writeSync(3, Buffer.alloc(5e5, 0xff)); setInterval(() => {}, 1e6)', { end: { kind: 'broken' }, sanitize: true }, {}],
    ['says nothing', 'setInterval(() => {}, 1e6)', { end: { kind: 'limit', limit: 'time' }, sanitize: true }, { timeoutMs: 500 }],
    ['closes the channel', 'require("fs").closeSync(3); setInterval(() => {}, 1e6)', { end: { kind: 'limit', limit: 'time' }, sanitize: true }, { timeoutMs: 500 }],
    ['stuffs its messages', `${SAY} for (;;) say({ type: "print", text: "", omitted: 0 }, " ".repeat(5e6))`, { end: { kind: 'broken' }, sanitize: true }, {}],
    ['fills all memory', 'const all = []; for (;;) all.push(Buffer.alloc(2 ** 26, 1))', { end: atItsMemory, sanitize: true }, { memoryBytes: 268_435_456 }],
  ])('%s', async (_name, source, outcome, settings) => {
    expect(await runAs(source, settings)).toMatchObject(outcome);
  });

  it('finds no file of the machine, no variable, and no way out', async () => {
    const source = `${SAY}
      const tried = (work) => { try { return String(work()); } catch (error) { return error.code; } };
      const fs = require('fs');
      const home = tried(() => fs.readFileSync(${JSON.stringify(path.resolve('package.json'))}).length);
      const shadow = tried(() => fs.readFileSync('/etc/shadow').length);
      const write = tried(() => fs.writeFileSync('/written', ''));
      const names = Object.keys(process.env).sort().join();
      require('net').connect(80, '192.0.2.1').on('error', (error) => {
        say({ type: 'end', end: { kind: 'value', value: JSON.stringify([home, shadow, write, names, error.code]) }, omitted: 0 });
      });`;
    expect(await runAs(source)).toMatchObject({ end: { value: '["ENOENT","ENOENT","EROFS","HOME,LANG,PATH,PWD,TMPDIR","ENETUNREACH"]' } });
  });

  it('leaves nobody behind', async () => {
    const seconds = uniqueSeconds();
    const source = `${SAY}
      require('child_process').spawn('/bin/sleep', [${JSON.stringify(seconds)}], { detached: true, stdio: 'ignore' }).once('spawn', () => {
        say({ type: 'call', id: 1, tool: 'read_file', args: {} });
        require('fs').readSync(3, Buffer.alloc(1));
        say({ type: 'end', end: { kind: 'value', value: '1' }, omitted: 0 });
      });`;
    let before: readonly number[] = [];
    const callTool = async () => {
      before = processesWith(seconds);
      return Promise.resolve(textResult('go on'));
    };
    expect(await runAs(source, { callTool })).toMatchObject({ end: { kind: 'value' } });
    expect({ before: before.length, after: processesWith(seconds) }).toEqual({ before: 1, after: [] });
  });
}));
