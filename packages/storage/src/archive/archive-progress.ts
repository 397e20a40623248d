interface Share {
  readonly done: number;
  readonly total: number;
}

/** How far a run is. In records that are read and payloads that are erased: what takes the time. */
export class ArchiveProgress {
  #done = 0;
  #total = 0;
  #reading: { readonly units: number; readonly read: () => Share } | undefined;

  expect(units: number): void {
    this.#total += units;
  }

  add(units: number): void {
    this.#done += units;
  }

  /** Counts `units` step by step, as `read` says of the work, and all of them once it has ended. */
  async during<Result>(reading: { readonly units: number; readonly read: () => Share }, work: () => Promise<Result>): Promise<Result> {
    this.#reading = reading;
    try {
      return await work();
    } finally {
      this.#reading = undefined;
      this.add(reading.units);
    }
  }

  read(): Share {
    if (this.#reading === undefined) return { done: this.#done, total: this.#total };
    const { done, total } = this.#reading.read();
    const share = total > 0 ? Math.min(1, done / total) : 0;
    return { done: this.#done + Math.floor(this.#reading.units * share), total: this.#total };
  }
}
