import type { RequestId } from '../raw/read-message.ts';

/** The streams on which one stdio client listens for changes, by the ids of their requests. */
export class OpenStreams {
  readonly #watch: (params: unknown) => AsyncDisposable | undefined;
  readonly #streams = new Map<RequestId, AsyncDisposable>();

  /** @param watch what is done as long as a stream is open; must not throw */
  constructor(watch: (params: unknown) => AsyncDisposable | undefined) {
    this.#watch = watch;
  }

  open(id: RequestId, params: unknown): void {
    const stream = this.#watch(params);
    if (stream !== undefined) this.#streams.set(id, stream);
  }

  close(id: RequestId): void {
    const stream = this.#streams.get(id);
    this.#streams.delete(id);
    void stream?.[Symbol.asyncDispose]();
  }

  closeAll(): void {
    for (const id of this.#streams.keys()) this.close(id);
  }
}
