import { spawn } from 'node:child_process';
import { acts, answered, CALL, IN_TIME, refused, say, type Behaviour } from './behaviour.ts';
import { FORGED } from './marks.ts';
import type { Asked } from './wire.ts';

const LINE = 200 * 1024 * 1024;
const GONE = refused('UPSTREAM_LOST');
const NOT_THERE = refused('UPSTREAM_UNAVAILABLE', 'UPSTREAM_LOST', 'UNKNOWN_TOOL', 'TOOL_TIMEOUT');

const toLine = (method: string, params: object): string => `${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`;
const begin = ({ id }: Asked): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"complete","content":[{"type":"text","text":"`;

/** Title, the line, and how often. */
const FLOODS = [
  ['log-flood', 'logs 200,000 times in one call', toLine('notifications/message', { level: 'info', data: 'x'.repeat(500) }), 200_000],
  ['change-flood', 'says 100,000 times that its tools changed', toLine('notifications/tools/list_changed', {}), 100_000],
  ['progress-flood', 'tells of progress that nobody asked for', toLine('notifications/progress', { progressToken: FORGED, progress: 1, message: FORGED }), 100_000],
  ['update-flood', 'says 100,000 times that a resource changed', toLine('notifications/resources/updated', { uri: 'hostile://honest' }), 100_000],
  ['unknown-flood', 'sends 100,000 notifications that nobody knows', toLine('notifications/hostile', { a: 1 }), 100_000],
  ['ping-flood', 'pings 20,000 times', `${JSON.stringify({ jsonrpc: '2.0', id: 'ping', method: 'ping' })}\n`, 20_000],
] as const;

const floods: readonly Behaviour[] = [
  ...FLOODS.map(([name, title, line, times]) => ({
    name,
    title,
    provoke: CALL,
    must: answered('after the flood'),
    never: [FORGED],
    act: acts(async (asked, wire) => {
      await wire.flood(line, times);
      wire.complete(asked, say('after the flood'));
    }),
  })),
  {
    name: 'line-of-200-MB',
    title: 'answers with one line of 200 MB',
    provoke: CALL,
    must: refused('UPSTREAM_ANSWER_REFUSED', 'UPSTREAM_LOST', 'TOOL_TIMEOUT'),
    act: acts(async (asked, wire) => {
      wire.raw(begin(asked));
      await wire.flood('x', LINE);
      wire.raw('"}]}}\n');
    }),
  },
  {
    name: 'line-without-end',
    title: 'begins a line of 200 MB, and never ends it',
    provoke: CALL,
    must: refused('UPSTREAM_ANSWER_REFUSED', 'UPSTREAM_LOST', 'TOOL_TIMEOUT'),
    act: acts(async (asked, wire) => {
      wire.raw(begin(asked));
      await wire.flood('x', LINE);
    }),
  },
];

const starts: readonly Omit<Behaviour, 'isOfMany'>[] = [
  { name: 'dies-at-start', title: 'ends as soon as it is started', provoke: CALL, must: NOT_THERE, act: { start: () => process.exit(7) } },
  { name: 'silent-at-start', title: 'says nothing when it is greeted', provoke: CALL, must: NOT_THERE, act: { answers: { initialize: () => undefined, 'server/discover': () => undefined } } },
  {
    name: 'no-hello',
    title: 'answers the greeting with something else',
    provoke: CALL,
    must: NOT_THERE,
    act: { answers: { initialize: ({ id }, wire) => wire.answer(id, { hello: 'world' }), 'server/discover': ({ id }, wire) => wire.answer(id, { hello: 'world' }) } },
  },
  {
    name: 'other-version',
    title: 'greets in a version that nobody speaks',
    provoke: CALL,
    must: NOT_THERE,
    act: { greeting: { protocolVersion: '1900-01-01', supportedVersions: ['1900-01-01'] } },
  },
];

const lives: readonly Behaviour[] = [
  ...starts.map((behaviour) => ({ ...behaviour, isOfMany: true as const })),
  {
    name: 'crash-mid-answer',
    title: 'ends in the middle of an answer',
    provoke: CALL,
    must: GONE,
    act: acts((asked, wire) => {
      wire.raw(begin(asked));
      wire.die(9);
    }),
  },
  { name: 'closes-output', title: 'closes its output and stays', provoke: CALL, must: refused('UPSTREAM_LOST', 'TOOL_TIMEOUT'), act: acts((_, wire) => wire.end()) },
  {
    name: 'stays',
    title: 'ignores the end of its input, and SIGTERM',
    provoke: CALL,
    must: answered('I stay'),
    act: { stays: true, answers: { act: (asked, wire) => wire.complete(asked, say('I stay')) } },
  },
  {
    name: 'leaves-a-child',
    title: 'starts a process of its own, which holds its pipes',
    provoke: CALL,
    must: answered('child'),
    act: acts((asked, wire) => {
      const { pid } = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 60_000)'], { stdio: 'inherit' });
      wire.complete(asked, say(`child ${pid}`));
    }),
  },
  {
    name: 'deaf',
    title: 'reads no more',
    provoke: CALL,
    must: IN_TIME,
    act: acts((asked, wire) => {
      process.stdin.pause();
      wire.complete(asked, say('deaf from now on'));
    }),
  },
];

export const floodAndLifeBehaviours: readonly Behaviour[] = [...floods, ...lives];
