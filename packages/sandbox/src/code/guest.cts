/*
 * What a run's process runs: the engine, the code in it, and a pump between the two and devs. devs reads what comes from
 * here as a hostile process would send it: nothing here guards anything but the engine's own memory. It waits for devs in
 * blocking reads, is one file, and speaks to the engine itself: an event loop, modules to be found, and the binding that
 * comes with the engine would each cost more than the engine does.
 */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Memory: new (size: object) => { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly Global: new (type: object) => { readonly value: unknown };
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
};

const { readFileSync, readSync, writeSync } = process.getBuiltinModule('node:fs');

/** `CHANNEL_FD` of core. */
const CHANNEL = 3;
/** From devs come length (4 bytes, of what follows), kind (1), id (4) and UTF-8; to devs go length and JSON. `channel.ts` has the other end. */
const HEADER_BYTES = 9;
/** The engine's `JS_EVAL_FLAG_ASYNC`: `await` in a script, which gives the promise of an object with its completion value. */
const ASYNC_SCRIPT = 128;
/** The kind of a first frame that holds an image; another one's is the prelude, to make an image of. */
const IMAGE = 6;
/** States of a promise, as the engine counts them. */
const PENDING = 0;
const REJECTED = 2;
/** Before the code's own, where it is the body of a function. */
const LINES_BEFORE = 1;
const PAGE_BYTES = 65_536;
/** Of the 1 MiB that the engine has. */
const STACK_BYTES = 262_144;
/** What it may take to tell the end, beyond the memory of the code. */
const LAST_BYTES = 16_777_216;

/** Something that nobody in the engine has caught. The address of its value; 0 when there was no memory for one. */
class Thrown extends Error {
  readonly value: number;

  constructor(value: number) {
    super('thrown in the engine');
    this.value = value;
  }
}

/** The C functions of `quickjs.wasm`. Numbers are addresses, of bytes or of boxed values, unless they say how many. */
class Engine {
  readonly #exports: Readonly<Record<string, unknown>>;

  /** @param image what `takeImage` gave of another one; without it the engine begins from nothing */
  constructor(wasm: Uint8Array, image?: Uint8Array) {
    const nothing = () => 0;
    const hostCall = (_name: number, _length: number, _self: number, _count: number, values: number) => {
      send(this.#bytesOf(this.#view().getUint32(values, true)));
      return this.call('qjs_get_undefined');
    };
    const clock = (_clock: number, _precision: bigint, result: number) => {
      this.#view().setBigUint64(result, BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n, true);
      return 0;
    };
    const others = ['host_get_timezone_offset', 'host_interrupt', 'host_promise_rejection', 'host_module_normalize', 'host_module_load'];
    const system = ['fd_close', 'fd_fdstat_get', 'fd_seek', 'fd_write', 'random_get'];
    this.#exports = new WebAssembly.Instance(new WebAssembly.Module(wasm), {
      env: { ...Object.fromEntries(others.map((name) => [name, nothing])), host_call: hostCall },
      wasi_snapshot_preview1: { ...Object.fromEntries(system.map((name) => [name, nothing])), clock_time_get: clock },
    }).exports;
    if (image === undefined) this.#initialize();
    else this.#restore(image);
  }

  #initialize(): void {
    this.call('_initialize');
    this.call('qjs_init');
    this.call('qjs_set_max_stack_size', STACK_BYTES);
  }

  #restore(image: Uint8Array): void {
    const missing = this.#stackTop() + image.length - this.#memory().buffer.byteLength;
    if (missing > 0) this.#memory().grow(Math.ceil(missing / PAGE_BYTES));
    new Uint8Array(this.#memory().buffer).set(image, this.#stackTop());
  }

  /** All that it knows. Below lies its stack, on which nothing is while none of its functions runs. */
  takeImage(): Uint8Array {
    return new Uint8Array(this.#memory().buffer, this.#stackTop());
  }

  call(name: string, ...values: readonly number[]): number {
    const callee = this.#exports[name];
    if (typeof callee !== 'function') throw new TypeError(name);
    return Number(Reflect.apply(callee, undefined, values));
  }

  /** What a script ends with. @throws Thrown, a SyntaxError before any of it was run */
  evaluate(script: string, name: string, flags = 0): number {
    const bytes = Buffer.from(`${script}\0`);
    return this.#checked(this.call('qjs_eval', this.#copy(bytes), bytes.length - 1, this.#copy(Buffer.from(`${name}\0`)), flags));
  }

  apply(callee: number, ...values: readonly number[]): number {
    const list = this.#copy(new Uint8Array(Uint32Array.from(values).buffer));
    const result = this.call('qjs_call', callee, this.call('qjs_get_undefined'), values.length, list);
    this.call('wasm_free', list);
    return this.#checked(result);
  }

  member(value: number, name: string): number {
    return this.#checked(this.call('qjs_get_prop_string', value, this.#copy(Buffer.from(`${name}\0`))));
  }

  string(bytes: Uint8Array): number {
    const copy = this.#copy(bytes);
    const value = this.call('qjs_new_string', copy, bytes.length);
    this.call('wasm_free', copy);
    return this.#checked(value);
  }

  number(value: number): number {
    return this.call('qjs_new_number', value);
  }

  toNumber(value: number): number {
    return this.call('qjs_get_float64', value);
  }

  /** The function within that ends in `send` here. */
  sender(): number {
    return this.call('qjs_new_host_function', this.#copy(Buffer.from('send')), 4, 1);
  }

  /** Until none is left. What one throws, its promise is told; of a job that cannot tell it, nobody would hear. */
  runJobs(): void {
    while (this.call('qjs_is_job_pending') !== 0) {
      if (this.call('qjs_execute_pending_job') < 0) throw new Thrown(this.call('qjs_get_exception'));
    }
  }

  #checked(value: number): number {
    if (value === 0 || this.call('qjs_is_exception', value) !== 0) throw new Thrown(this.call('qjs_get_exception'));
    return value;
  }

  #copy(bytes: Uint8Array): number {
    const address = this.call('wasm_malloc', Math.max(bytes.length, 1));
    if (address === 0) throw new Thrown(0);
    new Uint8Array(this.#view().buffer).set(bytes, address);
    return address;
  }

  #bytesOf(value: number): Uint8Array {
    const length = this.#copy(new Uint8Array(4));
    const text = this.call('qjs_get_string_len', value, length);
    if (text === 0) throw new Thrown(0);
    const bytes = new Uint8Array(this.#view().buffer, text, this.#view().getUint32(length, true)).slice();
    this.call('qjs_free_cstring', text);
    this.call('wasm_free', length);
    return bytes;
  }

  /** Anew each time: memory that grows is another one. */
  #view(): DataView<ArrayBuffer> {
    return new DataView(this.#memory().buffer);
  }

  #memory() {
    const { memory } = this.#exports;
    if (!(memory instanceof WebAssembly.Memory)) throw new TypeError('memory');
    return memory;
  }

  #stackTop(): number {
    const { __stack_pointer: pointer } = this.#exports;
    if (!(pointer instanceof WebAssembly.Global)) throw new TypeError('__stack_pointer');
    return Number(pointer.value);
  }
}

interface Frame {
  readonly kind: number;
  readonly id: number;
  readonly text: Buffer;
}

/** Waits for the next one. Devs that has gone ends the process. */
function receive(): Frame {
  const header = read(HEADER_BYTES);
  return { kind: header.readUInt8(4), id: header.readUInt32BE(5), text: read(header.readUInt32BE(0) - HEADER_BYTES + 4) };
}

function read(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; ) {
    const count = readSync(CHANNEL, bytes, at, length - at, null);
    if (count === 0) process.exit(1);
    at += count;
  }
  return bytes;
}

function send(json: Uint8Array): void {
  const header = Buffer.allocUnsafe(4);
  header.writeUInt32BE(json.length);
  const frame = Buffer.concat([header, json]);
  for (let at = 0; at < frame.length; ) at += writeSync(CHANNEL, frame, at);
}

/** The code, begun. `shift`: how many lines were put before its own. `read`: gives what `__sanitize__` is. */
interface Begun {
  readonly promise: number;
  readonly shift: number;
  readonly read: number;
}

/**
 * As a script first: then it may end with an expression, whose value it gives. With a `return` in it that is none, and it is
 * the body of a function. Nothing of it has run when the engine says so.
 */
function begin(engine: Engine, bridge: number, code: string): Begun {
  const read = engine.evaluate('() => __sanitize__', 'devs');
  try {
    const script = engine.evaluate(code, 'code.js', ASYNC_SCRIPT);
    return { promise: engine.apply(engine.member(bridge, 'awaitValue'), script), shift: 0, read };
  } catch (cause) {
    const isNoScript = cause instanceof Thrown && cause.value !== 0 && engine.toNumber(engine.apply(engine.member(bridge, 'isSyntaxError'), cause.value)) === 1;
    // V8's own stack, or no memory: it has been at work, and run once more it would make its calls once more.
    if (!isNoScript) throw cause;
    // The first line lets out what it sees as `__sanitize__`: the code may declare one of its own.
    const body = engine.evaluate(`(async function () { arguments[0].read = () => __sanitize__;\n${code}\n})`, 'code.js');
    const holder = engine.call('qjs_new_object');
    return { promise: engine.apply(body, holder), shift: LINES_BEFORE, read: engine.member(holder, 'read') };
  }
}

/** Between the engine and devs until the code has come to its end, or cannot. */
function pump(engine: Engine, bridge: number, { promise, shift, read }: Begun): void {
  const left = (name: string) => engine.toNumber(engine.apply(engine.member(bridge, name)));
  for (;;) {
    engine.runJobs();
    const state = engine.call('qjs_promise_state', promise);
    const calls = left('callsLeft');
    // Calls that nobody waits for come to their end, too: what they do is done when the answer is there.
    if (calls === 0 && (state !== PENDING || left('timersLeft') === 0)) {
      const result = state === PENDING ? engine.call('qjs_get_undefined') : engine.call('qjs_promise_result', promise);
      finish(engine, bridge, [engine.number(state), result, engine.number(shift), read]);
      return;
    }
    const { kind, id, text } = receive();
    engine.apply(engine.member(bridge, 'deliver'), engine.number(kind), engine.number(id), engine.string(text));
  }
}

function finish(engine: Engine, bridge: number, values: readonly number[]): void {
  engine.call('qjs_set_memory_limit', heapBytes + LAST_BYTES);
  engine.apply(engine.member(bridge, 'finish'), ...values);
}

/** What the engine threw outside of any promise: the code is no JavaScript, or there was no memory to go on with. */
function finishThrown(engine: Engine, bridge: number, { value }: Thrown): void {
  if (value === 0) sayLimit('memory');
  else finish(engine, bridge, [engine.number(REJECTED), value, engine.number(LINES_BEFORE), engine.call('qjs_get_undefined')]);
}

function sayLimit(limit: 'memory' | 'stack'): void {
  send(Buffer.from(JSON.stringify({ type: 'end', end: { kind: 'limit', limit }, sanitize: true, omitted: 0 })));
}

const [heapBytes, wasmFile] = [Number(process.argv[2]), process.argv[3] ?? ''];

function run(engine: Engine): void {
  const seed = () => engine.number(Math.floor(Math.random() * 2 ** 32));
  const bridge = engine.apply(engine.evaluate('createBridge', 'devs'), engine.string(receive().text), seed(), seed());
  const code = receive().text.toString();
  engine.call('qjs_set_memory_limit', heapBytes);
  try {
    try {
      pump(engine, bridge, begin(engine, bridge, code));
    } catch (cause) {
      if (!(cause instanceof Thrown)) throw cause;
      finishThrown(engine, bridge, cause);
    }
  } catch (cause) {
    // V8's own stack, or the engine's last memory. After either nothing in the engine is touched again.
    if (cause instanceof RangeError) sayLimit('stack');
    else if (cause instanceof Thrown) sayLimit('memory');
    else throw cause;
  }
}

/** An engine with the prelude in it, and no code: every run begins with its image. */
function makeImage(prelude: string): Uint8Array {
  const engine = new Engine(readFileSync(wasmFile));
  // Built, the prelude is a CommonJS module that marks its `exports`.
  engine.apply(engine.evaluate(`(send) => {const exports = {};${prelude}\n}`, 'devs'), engine.sender());
  return engine.takeImage();
}

const { kind: task, text: start } = receive();
if (task === IMAGE) run(new Engine(readFileSync(wasmFile), start));
else send(makeImage(start.toString()));
// Devs has heard all, and ends this process; an exit of its own would take longer.
receive();
