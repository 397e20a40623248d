/*
 * Runs within the engine before the code does, as a script: what the code finds there, and how it is heard of outside.
 * `send` is its only way out. What it took from the engine's globals it took before the code could change them: that
 * keeps code from tripping over itself; nobody outside relies on it.
 */

declare function send(json: string): void;

const MOST_PRINTED = 65_536;
/** UTF-16 units of arguments, or of the value. Six bytes each at most, as JSON in JSON: it fits into a frame. */
const MOST_UNITS = 1_000_000;
const MOST_TIMERS = 1_000;
const MOST_MS = 86_400_000;
const MOST_MESSAGE = 4_000;
/** Kinds of what is delivered: `FRAME` of `guest.cts`. */
const TEXT = 0;
const WAKE = 2;

const { stringify } = JSON;
const { defineProperty, entries, freeze } = Object;
const asText = String;
const NoScript = SyntaxError;

interface PendingCall {
  readonly resolve: (answer: string) => void;
  readonly reject: (error: Error) => void;
  readonly error: Error;
}

/** The calls of tools that are not over. */
class Calls {
  readonly #pending = new Map<number, PendingCall>();
  #last = 0;
  #isOver = false;

  get size(): number {
    return this.#pending.size;
  }

  /** What begins now nobody would wait for: it would be cut off with its work half done. */
  close(): void {
    this.#isOver = true;
  }

  begin(tool: string, args: unknown): Promise<string> {
    if (this.#isOver) throw new TypeError(`${tool} is called when the code has come to its end: await it before`);
    const members = stringify(args);
    if (members === undefined || !members.startsWith('{')) throw new TypeError(`tools.${tool} takes one object, its arguments`);
    if (members.length > MOST_UNITS) throw new RangeError(`The arguments of ${tool} are too large`);
    return new Promise((resolve, reject) => {
      this.#last += 1;
      // Made here, where the code's own line is still on the stack.
      this.#pending.set(this.#last, { resolve, reject, error: new Error() });
      send(`{"type":"call","id":${this.#last},"tool":${stringify(tool)},"args":${members}}`);
    });
  }

  end(id: number, answer: string, isError: boolean): void {
    const call = this.#pending.get(id);
    if (call === undefined) return;
    this.#pending.delete(id);
    if (!isError) call.resolve(answer);
    else call.reject(Object.assign(call.error, { message: answer }));
  }
}

/** `setTimeout`: devs has the clock. */
class Timers {
  readonly #pending = new Map<number, () => unknown>();
  #last = 0;

  get size(): number {
    return this.#pending.size;
  }

  readonly set = (callback: unknown, delay?: unknown, ...values: readonly unknown[]): number => {
    if (typeof callback !== 'function') throw new TypeError('setTimeout takes a function');
    if (this.#last === MOST_TIMERS) throw new RangeError(`More than ${MOST_TIMERS} timers`);
    this.#last += 1;
    this.#pending.set(this.#last, () => Reflect.apply(callback, undefined, values));
    send(`{"type":"sleep","id":${this.#last},"ms":${Math.trunc(Math.min(Math.max(Number(delay) || 0, 0), MOST_MS))}}`);
    return this.#last;
  };

  readonly clear = (id: number): void => {
    this.#pending.delete(id);
  };

  wake(id: number): void {
    const callback = this.#pending.get(id);
    this.#pending.delete(id);
    callback?.();
  }
}

/** `console`, on one sheet. */
class Printer {
  #left = MOST_PRINTED;
  #omitted = 0;

  get omitted(): number {
    return this.#omitted;
  }

  readonly print = (...values: readonly unknown[]): void => {
    const line = `${values.map(describe).join(' ')}\n`;
    const shown = line.slice(0, this.#left);
    const isFirstCut = this.#omitted === 0;
    this.#left -= shown.length;
    this.#omitted += line.length - shown.length;
    // What is left out is said once: the code may never come to its end, where it is said whole.
    if (shown !== '' || isFirstCut) send(`{"type":"print","text":${stringify(shown)},"omitted":${this.#omitted}}`);
  };
}

function describe(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'function') return `[function ${value.name || 'without a name'}]`;
  if (value instanceof Error) return describeError(value);
  if (value instanceof Map || value instanceof Set) return `${value instanceof Map ? 'Map' : 'Set'} ${describe([...value])}`;
  try {
    return typeof value === 'object' ? stringify(value) : asText(value);
  } catch {
    return asText(value);
  }
}

function describeError(error: Error): string {
  return `${asText(error.name)}: ${asText(error.message)}`;
}

/** With its place in the code. @param shift lines that were put before the code's first one */
function describeThrown(thrown: unknown, shift: number): string {
  if (!(thrown instanceof Error)) return `Thrown: ${describe(thrown)}`;
  const [, line, column] = /\bcode\.js:(\d+)(?::(\d+))?/.exec(asText(thrown.stack)) ?? [];
  const number = Number(line) - shift;
  const place = number > 0 ? ` (line ${number}${column === undefined ? '' : `, column ${column}`})` : '';
  return describeError(thrown) + place;
}

/** What the engine itself throws at its limits, and nobody has caught. */
function limitOf(thrown: unknown): 'memory' | 'stack' | undefined {
  const words = thrown instanceof Error ? describeError(thrown) : '';
  if (words === 'InternalError: out of memory') return 'memory';
  return words === 'RangeError: Maximum call stack size exceeded' ? 'stack' : undefined;
}

function endOfThrown(thrown: unknown, shift: number): object {
  const limit = limitOf(thrown);
  return limit === undefined ? { kind: 'thrown', message: describeThrown(thrown, shift).slice(0, MOST_MESSAGE) } : { kind: 'limit', limit };
}

function endOfValue(value: unknown): object {
  if (value === undefined) return { kind: 'value' };
  const json = typeof value === 'string' ? value : stringify(value);
  if (json === undefined) return { kind: 'value' };
  return json.length > MOST_UNITS ? { kind: 'limit', limit: 'output' } : { kind: 'value', value: json, isText: typeof value === 'string' };
}

interface Ended {
  /** As the engine counts: 1 with a value, 2 by what was thrown, 0 not yet, and nothing is left that it could wait for. */
  readonly state: number;
  readonly value: unknown;
  /** Of the code's lines: how many were put before them. */
  readonly shift: number;
}

function toEnd({ state, value, shift }: Ended): object {
  if (state === 0) return { kind: 'thrown', message: 'The code waits for something that never comes.' };
  try {
    return state === 1 ? endOfValue(value) : endOfThrown(value, shift);
  } catch (thrown) {
    return endOfThrown(thrown, shift);
  }
}

/** What `__sanitize__` is now. Whatever is neither said nor unsaid counts as True. */
function readSanitize(read: (() => unknown) | undefined): boolean | undefined {
  try {
    const said = read?.() ?? undefined;
    return said === undefined || typeof said === 'boolean' ? said : true;
  } catch {
    return true;
  }
}

/** With a `then` it would be a promise to whoever awaits it. */
const NO_TOOL = new Set(['then', 'toJSON']);

function createTools(names: readonly string[], calls: Calls): object {
  const own = new Map(names.filter((name) => !NO_TOOL.has(name)).map((name) => [name, freeze((args: unknown = {}) => calls.begin(name, args))]));
  const unknownTool = (name: string) => () => Promise.reject(new ReferenceError(`There is no tool ${stringify(name)} here. There are: ${names.join(', ')}`));
  const find = (name: string | symbol) => (typeof name !== 'string' || NO_TOOL.has(name) ? undefined : (own.get(name) ?? unknownTool(name)));
  const members = Object.fromEntries(own);
  Object.setPrototypeOf(members, null);
  return new Proxy(freeze(members), { get: (_target, name) => find(name) });
}

/** `Math.random`: every run begins with the same engine, which would draw the same numbers. The generator is sfc32. */
function createRandom(first: number, second: number): () => number {
  let [a, b, c, count] = [first, second, 0, 1];
  const draw = () => {
    const sum = (a + b + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round += 1) draw();
  return () => draw() / 2 ** 32;
}

function createBridge(list: string, first: number, second: number): object {
  Reflect.deleteProperty(globalThis, 'createBridge');
  Math.random = createRandom(first, second);
  const calls = new Calls();
  const timers = new Timers();
  const printer = new Printer();
  const { print } = printer;
  const console = { log: print, info: print, warn: print, error: print, debug: print };
  const tools = createTools(list === '' ? [] : list.split('\n'), calls);
  const globals = { True: true, False: false, None: null, __sanitize__: undefined, tools, console, setTimeout: timers.set, clearTimeout: timers.clear };
  for (const [name, value] of entries(globals)) defineProperty(globalThis, name, { value, writable: true, configurable: true });
  return {
    deliver: (kind: number, id: number, answer: string) => (kind === WAKE ? timers.wake(id) : calls.end(id, answer, kind !== TEXT)),
    awaitValue: async (script: Promise<{ readonly value: unknown }>) => (await script).value,
    callsLeft: () => calls.size,
    timersLeft: () => timers.size,
    finish: (state: number, value: unknown, shift: number, read?: () => unknown) => {
      calls.close();
      send(stringify({ type: 'end', end: toEnd({ state, value, shift }), sanitize: readSanitize(read), omitted: printer.omitted }));
    },
    isSyntaxError: (thrown: unknown) => Number(thrown instanceof NoScript),
  };
}

defineProperty(globalThis, 'createBridge', { value: createBridge, configurable: true });
