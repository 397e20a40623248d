import type { CallLimits, ServerLimits } from '../../config/schema.ts';
import { DevsError } from '../../errors.ts';
import type { Made } from '../../made.ts';
import type { Permit } from '../../policy/decide.ts';
import type { Call } from '../call/call.ts';
import { AtOnce, PerMinute, type Bound } from './bound.ts';
import { CallQueue } from './call-queue.ts';
import { giveBackAll, hasRoom, leastWaitMs, takeAll, type Needs, type Principal } from './needs.ts';
import { tooManyCalls } from './too-many-calls.ts';

/** Leave to begin. Its place is taken until `leave` is called; a second time does nothing. Minted in this file alone. */
export type Admitted = Made<{ readonly call: Call; readonly permit: Permit; readonly leave: () => void }, 'limits'>;

export interface LimiterTime {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Runs something later, and gives what takes that back. Default: a timer. */
  readonly after?: (milliseconds: number, run: () => void) => () => void;
}

/** Calls of one principal that wait at once; one more is refused. */
const MOST_WAITING = 1_024;
/** A longer delay makes a timer fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

interface Asked {
  readonly call: Call;
  readonly permit: Permit;
  readonly needs: Needs;
  readonly timeoutMs: number;
}

/**
 * How many calls begin: of a principal, of a server, of a tool. What there is no room for waits in line, and holds nothing
 * meanwhile. A call that another call has made takes no place of its principal's: the one that waits for it has one, and
 * with the last place a call that waits for its own would wait for ever. It counts as any other for its tool, its server
 * and the rate: code would else be the way around them.
 */
export class CallLimiter {
  readonly #limits: CallLimits;
  readonly #now: () => number;
  readonly #after: NonNullable<LimiterTime['after']>;
  readonly #principals = new Map<string, Principal & { readonly places: AtOnce }>();
  /** Of servers and tools that the configuration limits, by its entry. */
  readonly #shared = new Map<string, readonly Bound[]>();
  readonly #queue = new CallQueue();
  #stopAlarm: () => void = () => undefined;

  /** @param limits of each principal; those of servers and tools stand in the settings of the tools */
  constructor(limits: CallLimits, { now, after = startTimer }: LimiterTime) {
    this.#limits = limits;
    this.#now = now;
    this.#after = after;
  }

  /**
   * A place for a call, at once where there is room. Throws or rejects with `TOO_MANY_CALLS` where too many wait already,
   * or it cannot begin within `timeoutMs`; with `CALL_CANCELLED` when its caller goes away first.
   */
  enter(call: Call, permit: Permit, timeoutMs: number): Admitted | Promise<Admitted> {
    const needs = this.#needsOf(call, permit);
    // Whoever has room by now goes before who comes only now: a timer may be late.
    if (!this.#queue.isEmpty) this.#admit();
    if (hasRoom(needs)) {
      takeAll(needs);
      return this.#admitted({ call, permit, needs, timeoutMs });
    }
    if (needs.principal.waiting >= MOST_WAITING || leastWaitMs(needs) > timeoutMs) {
      this.#forgetIdle(needs.principal);
      throw tooManyCalls(needs);
    }
    return this.#wait({ call, permit, needs, timeoutMs });
  }

  #admitted({ call, permit, needs }: Asked): Admitted {
    let hasPlace = true;
    const leave = () => {
      if (!hasPlace) return;
      hasPlace = false;
      giveBackAll(needs);
      this.#goOn(needs);
    };
    return { call, permit, leave } as Admitted;
  }

  async #wait(asked: Asked): Promise<Admitted> {
    const { promise, resolve, reject } = Promise.withResolvers<Admitted>();
    let admitted: Admitted | undefined;
    const waiting = this.#queue.add(asked.needs, () => resolve((admitted = this.#admitted(asked))));
    // At once, and only while it is queued: when its turn comes in the same moment it has a place, and ends as a call does.
    const giveUp = (cause: DevsError) => {
      if (!this.#queue.remove(waiting)) return;
      reject(cause);
      this.#goOn(asked.needs);
    };
    try {
      return await this.#untilTurn(asked, promise, giveUp);
    } catch (cause) {
      // Whatever went wrong, nothing is queued that nobody waits for, and no place is lost.
      giveUp(new DevsError('INTERNAL_ERROR', { cause }));
      admitted?.leave();
      throw cause;
    }
  }

  async #untilTurn({ call: { signal }, needs, timeoutMs }: Asked, turn: Promise<Admitted>, giveUp: (cause: DevsError) => void): Promise<Admitted> {
    const cancel = () => giveUp(new DevsError('CALL_CANCELLED'));
    const stopTimer = this.#after(Math.min(timeoutMs, LONGEST_TIMER_MS), () => giveUp(tooManyCalls(needs)));
    try {
      signal?.addEventListener('abort', cancel, { once: true });
      if (signal?.aborted === true) cancel();
      this.#admit();
      return await turn;
    } finally {
      stopTimer();
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** A place is free, or was kept for a call that does not wait any more. */
  #goOn({ principal }: Needs): void {
    if (!this.#queue.isEmpty) this.#admit();
    this.#forgetIdle(principal);
  }

  /** Lets begin whose turn it is, and looks again when time alone makes room. */
  #admit(): void {
    this.#stopAlarm();
    this.#queue.admit();
    const { nextMs } = this.#queue;
    // Rounded up: a timer that is early finds no room, and would be set again and again.
    this.#stopAlarm = nextMs === Infinity ? () => undefined : this.#after(Math.max(1, Math.ceil(nextMs)), () => this.#admit());
  }

  #needsOf({ origin: { principal: name, parentCallId } }: Call, { tool }: Permit): Needs {
    const { limits, serverLimits } = tool.settings;
    const ofServer = serverLimits === undefined ? [] : this.#boundsOf(serverEntry(serverLimits), serverLimits);
    const ofTool = isLimited(limits) ? this.#boundsOf(`tools.${JSON.stringify(tool.name)}.limits`, limits) : [];
    return {
      principal: this.#principalOf(name),
      isChild: parentCallId !== undefined,
      shared: ofServer.length === 0 ? ofTool : [...ofServer, ...ofTool],
      server: serverLimits?.server,
      tool: ofTool.length === 0 ? undefined : tool.name,
    };
  }

  #principalOf(name: string): Principal {
    const known = this.#principals.get(name);
    if (known !== undefined) return known;
    const { atOnce, perMinute } = this.#limits;
    const places = new AtOnce(atOnce, 'limits.principal.atOnce');
    const rate = perMinute === null ? [] : [new PerMinute(perMinute, { entry: 'limits.principal.perMinute', now: this.#now })];
    const principal = { name, own: [places, ...rate], ofChildren: rate, waiting: 0, owed: undefined, places };
    this.#principals.set(name, principal);
    return principal;
  }

  /** Of whom nothing has to be remembered. What began within the last minute has. */
  #forgetIdle({ name }: Principal): void {
    const known = this.#principals.get(name);
    if (known?.waiting === 0 && known.places.isIdle && known.ofChildren.length === 0) this.#principals.delete(name);
  }

  #boundsOf(entry: string, { atOnce, perMinute = null }: Partial<CallLimits>): readonly Bound[] {
    const known = this.#shared.get(entry);
    if (known !== undefined) return known;
    const bounds = [
      ...(atOnce === undefined ? [] : [new AtOnce(atOnce, `${entry}.atOnce`)]),
      ...(perMinute === null ? [] : [new PerMinute(perMinute, { entry: `${entry}.perMinute`, now: this.#now })]),
    ];
    this.#shared.set(entry, bounds);
    return bounds;
  }
}

function serverEntry({ server }: ServerLimits): string {
  return `mcpServers.${JSON.stringify(server)}.limits`;
}

function isLimited({ atOnce, perMinute = null }: Partial<CallLimits>): boolean {
  return atOnce !== undefined || perMinute !== null;
}

function startTimer(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}
