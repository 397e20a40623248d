import type { Origin } from '@devs/core';
import type { Server } from '@modelcontextprotocol/server';
import type { BehindServer, ScopedTool } from '../auth/scope.ts';
import type { Arrivals } from '../raw/arrivals.ts';

/** A way to a client outside of its requests. */
export type ClientConnection = Pick<Server, 'notification' | 'request'>;

/** What a transport knows of the other end. */
export interface Connection {
  /** What the transport has proven about whoever is at the other end. */
  readonly origin: Origin;
  /** What has come and is not answered yet, with what the raw messages were found wanting for. */
  readonly arrivals?: Arrivals;
  /** Resolves when the other end takes answers again: one that does not read must not fill the memory. */
  readonly ready?: () => Promise<void>;
  /**
   * Proves that requests come from one client, by identity: the same object for all of a connection (stdio), of a session
   * (HTTP, before 2026-07-28), or of a principal (HTTP since). Servers behind devs belong to it. Absent: this very object.
   */
  readonly key?: object;
  /** How the client is told something outside of its requests, where protocol servers come and go with them. */
  readonly outside?: ClientConnection;
  /** Milliseconds without a call after which `key` has begun another session. Absent: it is one session. */
  readonly idleMs?: number;
  /** False: no person sits behind it, whose answers would count. Default true. */
  readonly interactive?: boolean;
  /** What the caller's token lets it see. Absent: everything. */
  readonly allows?: (tool: ScopedTool) => boolean;
  /** Which servers behind devs are there for it at all. Absent: all. */
  readonly serves?: (server: BehindServer) => boolean;
}
