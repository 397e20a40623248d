// Node 22 has `Symbol.dispose`, and `using` as the compiler writes it, but neither `DisposableStack` nor `AsyncDisposableStack`.

/** What was opened on the way to something whole: closed in reverse order, unless it was kept. */
export class OpenParts implements Disposable {
  #close: (() => void)[] = [];

  adopt<Value>(value: Value, close: (value: Value) => void): Value {
    this.#close.push(() => close(value));
    return value;
  }

  /** From now on whoever has the parts closes them. */
  keep(): void {
    this.#close = [];
  }

  [Symbol.dispose](): void {
    const close = this.#close.pop();
    if (close === undefined) return;
    try {
      close();
    } finally {
      // One that cannot be closed keeps no other open.
      this[Symbol.dispose]();
    }
  }
}

/** The same for parts that are closed asynchronously. */
export class AsyncOpenParts implements AsyncDisposable {
  #parts: AsyncDisposable[] = [];

  use<Part extends AsyncDisposable>(part: Part): Part {
    this.#parts.push(part);
    return part;
  }

  keep(): void {
    this.#parts = [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = await Promise.allSettled(this.#parts.toReversed().map(async (part) => part[Symbol.asyncDispose]()));
    this.#parts = [];
    const failed = closed.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}
