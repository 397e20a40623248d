/** What bounds an HTTP server, beside its port. */
export interface HttpLimits {
  /** Largest message in bytes. Default 33,554,432 (32 MiB). */
  readonly maxMessageBytes: number;
  /** Connections that are served at once. Default 256. */
  readonly maxConnections: number;
  /** Requests under way at once, over all connections. Default 1,024. */
  readonly maxRequests: number;
  /** Milliseconds that a client gets to send a whole request, its headers too. Default 30,000. */
  readonly requestTimeoutMs: number;
  /** Milliseconds that a client may take nothing of an answer that waits for it. Default 30,000. */
  readonly answerTimeoutMs: number;
  /** Milliseconds that a connection may be idle between requests. Default 5,000. */
  readonly idleTimeoutMs: number;
  /** Milliseconds that a client gets to read a refusal while its body is not read. Default 1,000. */
  readonly lingerMs: number;
  /** Bytes of answers that may wait for their clients before further calls wait too. Default 67,108,864 (64 MiB). */
  readonly maxUnreadBytes: number;
  /** Sessions of the older protocol that are kept at once. Default 256. */
  readonly maxSessions: number;
  /** Milliseconds after which a session that nobody uses is ended. Default 1,800,000. */
  readonly sessionIdleMs: number;
  /** Milliseconds between signs of life on a stream on which nothing is said. Default 15,000. */
  readonly keepAliveMs: number;
  /** Milliseconds that calls under way get once devs is to stop; then they are cancelled. Default 8,000. */
  readonly graceMs: number;
}

export const DEFAULT_HTTP_LIMITS: HttpLimits = Object.freeze({
  maxMessageBytes: 33_554_432,
  maxConnections: 256,
  maxRequests: 1_024,
  requestTimeoutMs: 30_000,
  answerTimeoutMs: 30_000,
  idleTimeoutMs: 5_000,
  lingerMs: 1_000,
  maxUnreadBytes: 67_108_864,
  maxSessions: 256,
  sessionIdleMs: 1_800_000,
  keepAliveMs: 15_000,
  graceMs: 8_000,
});

/** Messages of the largest size that may be held at once: one that is being read is held, and one that is not answered. */
export const LARGEST_MESSAGES_AT_ONCE = 4;
