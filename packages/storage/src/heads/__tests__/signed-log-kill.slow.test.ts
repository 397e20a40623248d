import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { createHeadPlace } from './fixtures.ts';
import { expectConsistent, rowsOf, startWriter, writeCalls } from './signed-rows.ts';

describe('a process that signs a log', () => {
  const points = ['before fsync', 'half written', 'before rename', 'after rename', 'before its record'];
  it.each(points.flatMap((point) => ['1', '2', '4'].map((nth) => [point, nth] as const)))(
    'killed %s, for the %s. time: the log is whole, and goes on without a question',
    async (point, nth) => {
      using place = createHeadPlace();
      const child = startWriter(place, 'victim', '50', point, nth);
      let printed = '';
      child.stdout.on('data', (chunk) => (printed += String(chunk)));
      const [, signal] = await once(child, 'close');
      expect(signal).toBe('SIGKILL');
      const acknowledged = printed.split('\n').slice(0, -1);
      const stored = rowsOf(place.log).map(({ header }) => header['callId']);
      expect(stored).toEqual(expect.arrayContaining(acknowledged));
      expectConsistent(place);
      await writeCalls(place, 500, 2);
      expectConsistent(place);
      expect(place.problems).toEqual([]);
    },
  );
});
