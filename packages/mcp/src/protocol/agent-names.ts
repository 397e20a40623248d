/** What a call is logged under where its caller claims nothing. */
export interface Agent {
  readonly agentId: string;
  readonly turnIndex: number;
  /** True when `agentId` is made of what the client calls itself. */
  readonly isNamed: boolean;
}

export interface AskingClient {
  /** The connection, the session or the principal that its requests come from, by identity. */
  readonly key: object;
  /** `clientInfo.name`, as the client wrote it. */
  readonly name: unknown;
  /** Milliseconds without a call after which the next one begins another session. Absent: the key is one session. */
  readonly idleMs?: number | undefined;
}

interface Known {
  /** Of the session, from 1. 0 of a client without a name. */
  readonly number: number;
  turns: number;
  usedAt: number;
}

/** UTF-16 units of a name that are looked at, and characters of it that are kept. */
const MOST_RAW = 1_024;
const MOST_CHARACTERS = 64;
/** Of one key: who changes its name with each request must not fill the memory. */
const MOST_NAMES = 64;
const UNNAMED = 'anonymous';

/** Numbers the sessions of the clients that come, and counts the calls of each. */
export class AgentNames {
  readonly #now: () => number;
  readonly #byKey = new WeakMap<object, Map<string, Known>>();
  #sessions = 0;

  /** @param now monotonic milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Of one call: the next turn of its client. */
  next(client: AskingClient): Agent {
    const name = toAgentName(client.name);
    const known = this.#find(name, client);
    const turnIndex = known.turns;
    known.turns += 1;
    return { agentId: `${name === '' ? UNNAMED : name}#${known.number}`, turnIndex, isNamed: name !== '' };
  }

  /** The same of a call that was turned away before anybody read what its client calls itself: as its last call was named. */
  nextOfLast(key: object): Agent {
    const [name = ''] = [...(this.#byKey.get(key)?.keys() ?? [])].slice(-1);
    return this.next({ key, name });
  }

  #find(name: string, { key, idleMs = Infinity }: AskingClient): Known {
    const names = this.#byKey.get(key) ?? new Map<string, Known>();
    this.#byKey.set(key, names);
    const before = names.get(name);
    const now = this.#now();
    const isOver = before === undefined || now - before.usedAt > idleMs;
    const known = isOver ? { number: this.#numberOf(name), turns: 0, usedAt: now } : Object.assign(before, { usedAt: now });
    // Behind all others: the first is the one that was used longest ago.
    names.delete(name);
    const [oldest] = names.keys();
    if (oldest !== undefined && names.size >= MOST_NAMES) names.delete(oldest);
    names.set(name, known);
    return known;
  }

  #numberOf(name: string): number {
    if (name === '') return 0;
    this.#sessions += 1;
    return this.#sessions;
  }
}

/**
 * A name that can stand in a log, before the number of a session: without what an id cannot have (`parseClaims`), and
 * without `#` and the signs that look like it, by which a client could write another's number. Empty: there is none.
 */
function toAgentName(name: unknown): string {
  if (typeof name !== 'string') return '';
  const shown = name.slice(0, MOST_RAW).toWellFormed().replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}#\uff03\ufe5f\u266f\u2317\u22d5\ufffd]+/gu, ' ').trim();
  return Array.from(shown).slice(0, MOST_CHARACTERS).join('').trim();
}
