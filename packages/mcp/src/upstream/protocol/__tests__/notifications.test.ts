import { describe, expect, it } from '@jest/globals';
import { Notifications } from '../notifications.ts';
import type { UpstreamEvent } from '../../../protocol/upstream.ts';
import { STILL } from '../../__tests__/pool-scene.ts';

function hear() {
  const heard: UpstreamEvent[] = [];
  const violations: string[] = [];
  const notifications = new Notifications({
    notificationBurst: 100,
    notificationsPerSecond: 1,
    timers: STILL,
    onEvent: (event) => void heard.push(event),
    onViolation: (problem) => void violations.push(problem),
    find: () => undefined,
    onWithdrawn: () => undefined,
    onAcknowledged: () => undefined,
  });
  const log = (bytes: number) => notifications.receive('notifications/message', { level: 'info', data: 'x' }, { about: undefined, bytes });
  return { heard, violations, log };
}

describe('what a server says unasked', () => {
  it.each<[string, number, number]>([
    ['small', 100, 100],
    ['large: as much as it is of small ones', 4_096 * 10, 10],
    ['larger than all that there may be: once, and nothing after it', 10_000_000, 1],
  ])('is handed on as long as it is no flood, %s', (_name, bytes, expected) => {
    const { heard, violations, log } = hear();
    for (let count = 0; count < 200; count += 1) log(bytes);
    expect(heard).toHaveLength(expected);
    expect(violations).toHaveLength(200 - expected);
  });
});
