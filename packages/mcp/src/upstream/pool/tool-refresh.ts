/** More often than this a server cannot make devs list its tools. */
const PAUSE_MS = 1_000;
/** Lists at the start, when the server says each time that there is more to come. */
const MOST_FIRST_LISTS = 5;

export interface ToolRefreshOptions {
  /** Lists the tools and takes them over. */
  readonly list: () => Promise<void>;
  readonly pause: (milliseconds: number) => Promise<void>;
  readonly onFailure: (cause: unknown) => void;
}

/** Lists the tools of one session anew when it says that they changed: one at a time, however often it says so. */
export class ToolRefresh {
  readonly #options: ToolRefreshOptions;
  #isAsked = false;
  /** From the start: nothing is listed beside the first time. */
  #isBusy = true;

  constructor(options: ToolRefreshOptions) {
    this.#options = options;
  }

  /** The first time. Some servers make tools once they know the client, and say so before they answer. Rejects when listing does. */
  async first(): Promise<void> {
    for (let round = 0; round < MOST_FIRST_LISTS; round += 1) {
      this.#isAsked = false;
      await this.#options.list();
      if (!this.#isAsked) break;
    }
    this.#isBusy = false;
    if (this.#isAsked) void this.#run();
  }

  request(): void {
    this.#isAsked = true;
    if (!this.#isBusy) void this.#run();
  }

  async #run(): Promise<void> {
    const { list, pause, onFailure } = this.#options;
    this.#isBusy = true;
    try {
      while (this.#isAsked) {
        this.#isAsked = false;
        await list();
        await pause(PAUSE_MS);
      }
    } catch (cause) {
      onFailure(cause);
    } finally {
      this.#isBusy = false;
    }
  }
}
