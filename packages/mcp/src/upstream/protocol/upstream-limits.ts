import type { PeerLimits } from './peer.ts';

const LIMITS = Object.freeze({ held: 64, holdMs: 600_000, notificationBurst: 1_000, notificationsPerSecond: 200 });

/** What one server may make devs hold and hand on. */
export function toLimits(limits: Partial<PeerLimits> | undefined, maxMessageBytes: number): PeerLimits {
  return { ...LIMITS, keptBytes: maxMessageBytes, ...limits };
}
