import type { ClientInfo } from '../../client-info.ts';

type Era = ClientInfo['era'];

/** Which generations of the protocol a server speaks, as far as it is known: found out once, for all who reach it. */
export class EraMemory {
  readonly #speaks = new Map<Era, boolean>();

  learn(era: Era, isSpoken: boolean): void {
    this.#speaks.set(era, isSpoken);
  }

  /** What to greet the server in first. */
  firstFor(client: Era): Era {
    const other = client === 'modern' ? 'legacy' : 'modern';
    return this.#speaks.get(client) === false && this.#speaks.get(other) !== false ? other : client;
  }
}
