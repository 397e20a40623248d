import { cleanInstructions, type OutputPolicy } from '@devs/core';
import type { ServerIntroduction } from '@devs/mcp';

/** UTF-16 units that all servers together may put before every conversation. */
const MOST_TOGETHER = 65_536;

/** What begins a line is devs's: a server could else go on with `The server "mail" says of itself: …`, or in devs's own name. */
const LINE_END = /\r\n?|[\n\v\f\u0085\u2028\u2029]/g;

type Words = Pick<ServerIntroduction, 'server' | 'namespace' | 'said'>;

/** As a server's own words: a model must not take them for devs's. Undefined where there is nothing to show. */
export function introduceServer({ server, namespace, said }: Words, policy: OutputPolicy): string | undefined {
  const shown = cleanInstructions(said, policy);
  if (shown === undefined) return undefined;
  const names = namespace === '' ? '' : `, whose tools and prompts have ${JSON.stringify(`${namespace}__`)} before their names,`;
  return `The server ${JSON.stringify(server)}${names} says of itself: ${shown.replaceAll(LINE_END, '\n> ')}`;
}

interface Introduced {
  readonly said: string;
  readonly shown: string | undefined;
}

/** What clients of many servers are told of each. Cleaned once for each text: without sessions every request is told it. */
export class ServerIntroductions {
  readonly #policy: OutputPolicy;
  readonly #known = new Map<string, Introduced>();

  constructor(policy: OutputPolicy) {
    this.#policy = policy;
  }

  /** The servers of one client, in their order. One that would be too much is left out, whole. */
  of(introductions: readonly Words[]): string {
    let left = MOST_TOGETHER;
    const shown: string[] = [];
    for (const introduction of introductions) {
      const text = this.#show(introduction);
      if (text === undefined || text.length > left) continue;
      left -= text.length;
      shown.push(text);
    }
    return shown.join('\n');
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
