import { cleanInstructions, cutInstructions, type OutputPolicy } from '@devs/core';
import type { ServerIntroduction } from '@devs/mcp';

/**
 * UTF-16 units that all servers together may put before every conversation. Claude Code 2.1.330 shows the first 4,096 of the
 * instructions: with devs's own, which come first, these are 4,000 at most, so that a cut is one of devs's and says so.
 */
const MOST_TOGETHER = 3_200;
/** Below this a server has no room to say anything behind its name. */
const LEAST_SHARE = 200;

/** What begins a line is devs's: a server could else go on with `The server "mail" says of itself: …`, or in devs's own name. */
const LINE_END = /\r\n?|[\n\v\f\u0085\u2028\u2029]/g;

type Words = Pick<ServerIntroduction, 'server' | 'namespace' | 'said'>;

/** As a server's own words: a model must not take them for devs's. Undefined where there is nothing to show. */
function introduceServer({ server, namespace, said }: Words, policy: OutputPolicy): string | undefined {
  const shown = cleanInstructions(said, policy);
  if (shown === undefined) return undefined;
  const names = namespace === '' ? '' : `, whose tools and prompts have ${JSON.stringify(`${namespace}__`)} before their names,`;
  return `The server ${JSON.stringify(server)}${names} says of itself: ${shown.replaceAll(LINE_END, '\n> ')}`;
}

interface Introduced {
  readonly said: string;
  readonly shown: string | undefined;
}

/** What clients are told of each server. Cleaned once for each text: without sessions every request is told it. */
export class ServerIntroductions {
  readonly #policy: OutputPolicy;
  readonly #known = new Map<string, Introduced>();

  constructor(policy: OutputPolicy) {
    this.#policy = policy;
  }

  /** The servers of one client, in their order, each in its fair share. */
  of(introductions: readonly Words[]): string {
    const said = introductions.flatMap((introduction) => this.#show(introduction) ?? []);
    const shown = said.slice(0, MOST_TOGETHER / LEAST_SHARE);
    const leftOut = said.length - shown.length;
    const note = leftOut === 0 ? [] : [`What ${String(leftOut)} more servers say of themselves was left out by devs.`];
    const room = MOST_TOGETHER - [...shown, ...note].length - (note[0]?.length ?? 0);
    const most = fairShare(shown, room);
    return [...shown.map((text) => (text.length > most ? cutInstructions(text, most, this.#policy) : text)), ...note].join('\n');
  }

  #show(introduction: Words): string | undefined {
    const { server, said } = introduction;
    const known = this.#known.get(server);
    if (known?.said === said) return known.shown;
    const shown = introduceServer(introduction, this.#policy);
    this.#known.set(server, { said, shown });
    return shown;
  }
}

/** The most units of one text at which all together have room: what short ones leave, the long ones share. */
function fairShare(texts: readonly string[], room: number): number {
  const lengths = texts.map(({ length }) => length).toSorted((one, other) => one - other);
  let left = room;
  for (const [index, length] of lengths.entries()) {
    const share = Math.floor(left / (lengths.length - index));
    if (length > share) return share;
    left -= length;
  }
  return room;
}
