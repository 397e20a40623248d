import type { RequestId } from '../raw/read-message.ts';

/** The streams on which one stdio client listens for changes, by the ids of their requests. */
export class OpenStreams {
  readonly #watch: (params: unknown) => AsyncDisposable | undefined;
  readonly #onFailure: (cause: unknown) => void;
  readonly #streams = new Map<RequestId, AsyncDisposable>();

  /**
   * @param watch what is done as long as a stream is open
   * @param onFailure told why that cannot be done: the stream is open all the same, and the connection goes on
   */
  constructor(watch: (params: unknown) => AsyncDisposable | undefined, onFailure: (cause: unknown) => void) {
    this.#watch = watch;
    this.#onFailure = onFailure;
  }

  open(id: RequestId, params: unknown): void {
    try {
      const stream = this.#watch(params);
      if (stream !== undefined) this.#streams.set(id, stream);
    } catch (cause) {
      this.#onFailure(cause);
    }
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
