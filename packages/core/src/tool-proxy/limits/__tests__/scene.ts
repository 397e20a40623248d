import { DEFAULT_TOOL_SETTINGS, type CallLimits, type ToolSettings } from '../../../config/schema.ts';
import { decide, type Permit } from '../../../policy/decide.ts';
import type { RegisteredTool } from '../../../tool-registry/types.ts';
import { context } from '../../__tests__/scene.ts';
import { openCall } from '../../open-call.ts';
import { CallLimiter, type Admitted } from '../index.ts';

/** A clock that stands still until it is told to go on, and its timers. */
export class TestTime {
  #now = 1_000;
  #reads = 0;
  readonly #timers = new Set<{ readonly at: number; readonly run: () => void }>();

  readonly now = (): number => {
    this.#reads += 1;
    return this.#now;
  };

  readonly after = (milliseconds: number, run: () => void): (() => void) => {
    const timer = { at: this.#now + milliseconds, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  };

  /** How often somebody has asked. */
  get reads(): number {
    return this.#reads;
  }

  get timers(): number {
    return this.#timers.size;
  }

  /** Goes on, from timer to timer. What was set going before, or by one of them, is heard before the next: it would be noted too late. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settle();
    for (let next = this.#firstBy(end); next !== undefined; next = this.#firstBy(end)) {
      this.#now = Math.max(this.#now, next.at);
      this.#timers.delete(next);
      next.run();
      await settle();
    }
    this.#now = end;
    await settle();
  }

  /** Goes on, and every timer is late. */
  jump(milliseconds: number): void {
    this.#now += milliseconds;
  }

  #firstBy(end: number) {
    return [...this.#timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
  }
}

/** Everything that was waiting for a promise has gone on. */
export async function settle(): Promise<void> {
  await new Promise(setImmediate);
}

export interface Asking {
  readonly principal?: string;
  readonly tool?: string;
  readonly isChild?: boolean;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** One call and what became of it. */
export interface Attempt {
  readonly asking: Required<Omit<Asking, 'signal'>>;
  /** It had its place before `enter` returned. */
  readonly isImmediate: boolean;
  begunAt: number | undefined;
  /** In the order of all that began. */
  turn: number;
  refusal: unknown;
  readonly leave: () => void;
  readonly cancel: () => void;
}

export interface SceneLimits {
  readonly principal?: Partial<CallLimits>;
  /** By tool. */
  readonly tools?: Readonly<Record<string, Partial<CallLimits>>>;
  /** By server, with the names of its tools. */
  readonly servers?: Readonly<Record<string, Partial<CallLimits> & { readonly tools: readonly string[] }>>;
}

/** A limiter that is asked for places, and a note of who got one. */
export function createScene({ principal = {}, tools = {}, servers = {} }: SceneLimits) {
  const time = new TestTime();
  const limiter = new CallLimiter({ atOnce: 64, perMinute: null, ...principal }, time);
  const attempts: Attempt[] = [];
  let rounds = 0;

  function permitOf(tool: string): Permit {
    const [server] = Object.entries(servers).find(([, { tools: names }]) => names.includes(tool)) ?? [];
    const { tools: _names, ...shared } = servers[server ?? ''] ?? { tools: [] };
    const settings: ToolSettings = {
      ...DEFAULT_TOOL_SETTINGS,
      limits: { ...DEFAULT_TOOL_SETTINGS.limits, ...tools[tool] },
      ...(server !== undefined && { serverLimits: { server, ...shared } }),
    };
    const registered = { name: tool, settings, source: server ?? 'built-in' } as unknown as RegisteredTool;
    return decide({ tool: registered, checked: { args: {}, paths: [] } as never, context });
  }

  function ask({ principal: name = 'root', tool = 'read_file', isChild = false, timeoutMs = 1e9, signal }: Asking = {}): Attempt {
    const canceller = new AbortController();
    const origin = { principal: name, channel: 'library', ...(isChild && { parentCallId: 'parent' }) } as const;
    const request = { toolName: tool, args: {}, context, origin, signal: signal ?? canceller.signal };
    const call = openCall(request, { id: 'id', clock: { timestamp: () => '', monotonicMs: () => 0 } });
    let admitted: Admitted | undefined;
    const attempt: Attempt = {
      asking: { principal: name, tool, isChild, timeoutMs },
      isImmediate: false,
      begunAt: undefined,
      turn: 0,
      refusal: undefined,
      leave: () => admitted?.leave(),
      cancel: () => canceller.abort(),
    };
    const begin = (place: Admitted) => {
      admitted = place;
      rounds += 1;
      Object.assign(attempt, { begunAt: time.now(), turn: rounds });
    };
    const refuse = (cause: unknown) => void (attempt.refusal = cause);
    try {
      const place = limiter.enter(call, permitOf(tool), timeoutMs);
      if (place instanceof Promise) place.then(begin, refuse);
      else {
        Object.assign(attempt, { isImmediate: true });
        begin(place);
      }
    } catch (cause) {
      refuse(cause);
    }
    attempts.push(attempt);
    return attempt;
  }

  return { time, ask, attempts };
}
