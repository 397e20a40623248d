import { isRecord } from '@devs/core';
import { Budget } from './budget.ts';
import { ChangeNotifications } from './change-notifications.ts';
import type { InFlight } from './in-flight.ts';
import type { Timers } from './timers.ts';
import type { UpstreamEvent } from '../../protocol/upstream.ts';
import type { Arrival } from './wire.ts';

export interface NotificationLimits {
  /** Notifications of progress and of the log that are handed on at once, and a second. What is more is dropped. */
  readonly notificationBurst: number;
  readonly notificationsPerSecond: number;
}

export interface NotificationsOptions extends NotificationLimits {
  readonly timers: Timers;
  readonly onEvent: (event: UpstreamEvent) => void;
  readonly onViolation: (problem: string) => void;
  readonly find: (id: unknown) => InFlight | undefined;
  readonly onWithdrawn: (serverRequestId: unknown) => void;
  readonly onAcknowledged: (subscription: unknown) => void;
}

const CHANGES: ReadonlyMap<string, UpstreamEvent> = new Map([
  ['notifications/tools/list_changed', { kind: 'tools-changed' }],
  ['notifications/prompts/list_changed', { kind: 'prompts-changed' }],
  ['notifications/resources/list_changed', { kind: 'resources-changed' }],
]);
/** A longer URI would be held for as long as its change is told. */
const MOST_URI_CHARACTERS = 8_192;

/** Passes the notifications of a server to those they concern, within a budget: a server can send them without end. */
export class Notifications {
  readonly #options: NotificationsOptions;
  readonly #budget: Budget;
  readonly #changes: ChangeNotifications;
  readonly #stop = new AbortController();
  /** Requests that are told of, in the order in which they were made. */
  readonly #listening: InFlight[] = [];

  constructor(options: NotificationsOptions) {
    this.#options = options;
    const { timers, notificationBurst, notificationsPerSecond } = options;
    this.#budget = new Budget({ burst: notificationBurst, perSecond: notificationsPerSecond, timers });
    this.#changes = new ChangeNotifications(options.onEvent, timers, this.#stop.signal);
  }

  listen(request: InFlight): void {
    this.#listening.push(request);
  }

  leave(request: InFlight): void {
    const index = this.#listening.lastIndexOf(request);
    if (index >= 0) this.#listening.splice(index, 1);
  }

  receive(method: string, params: unknown, { about, bytes }: Arrival): void {
    const said = isRecord(params) ? params : {};
    const change = CHANGES.get(method);
    if (change !== undefined) return this.#notify(change);
    switch (method) {
      case 'notifications/progress':
        return this.#progress(said, bytes);
      case 'notifications/message':
        return this.#log(said, { about, bytes });
      case 'notifications/resources/updated':
        return this.#updated(said['uri']);
      case 'notifications/cancelled':
        return this.#options.onWithdrawn(said['requestId']);
      case 'notifications/subscriptions/acknowledged':
        return this.#options.onAcknowledged(isRecord(said['_meta']) ? said['_meta'] : {});
      default:
        this.#options.onViolation('a notification that devs does not know');
    }
  }

  close(): void {
    this.#stop.abort();
  }

  /** The token is the id of our request. */
  #progress({ progressToken, progress, total, message }: Readonly<Record<string, unknown>>, bytes: number): void {
    const notify = this.#options.find(progressToken)?.round?.onNotice;
    if (notify === undefined) return this.#options.onViolation('word of progress of nothing that was asked');
    if (!this.#budget.spend(costOf(bytes))) return this.#options.onViolation('more notifications than are handed on');
    notify({ kind: 'progress', progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) });
  }

  #log({ level, logger, data }: Readonly<Record<string, unknown>>, { about, bytes }: Arrival): void {
    if (!this.#budget.spend(costOf(bytes))) return this.#options.onViolation('more notifications than are handed on');
    const notice = { kind: 'log', level, ...(logger !== undefined && { logger }), data };
    const request = about === undefined ? this.#listening.at(-1) : this.#options.find(about);
    const notify = request?.round?.onNotice;
    if (notify === undefined) this.#options.onEvent({ kind: 'log', notice });
    else notify(notice);
  }

  #updated(uri: unknown): void {
    if (typeof uri !== 'string' || uri.length > MOST_URI_CHARACTERS) return this.#options.onViolation('a change of a resource without a URI that can be used');
    this.#notify({ kind: 'resource-updated', uri });
  }

  #notify(event: UpstreamEvent): void {
    if (!this.#changes.send(event)) this.#options.onViolation('more changes than are told apart');
  }
}

const BYTES_OF_ONE = 4_096;

/** What is large takes long to clean: it counts as the many small ones that it could have been. */
function costOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BYTES_OF_ONE));
}
