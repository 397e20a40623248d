// One of the family of hostile servers, on stdio, in both eras. Ends with its input, and after two minutes in any case.
// usage: node server.js <behaviour> [<file that counts its lives>]
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { say, tool, type Act, type Answer, type Life } from './behaviour.ts';
import { BEHAVIOURS } from './behaviours.ts';
import { FROM_HOSTILE } from './marks.ts';
import { Wire, type Asked, type Members } from './wire.ts';

const LIFETIME_MS = 120_000;
const MODERN = '2026-07-28';
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const NOT_FOUND = -32_601;

const capabilities = { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true, subscribe: true }, completions: {}, logging: {} };
const serverInfo = { name: 'hostile', version: '1.0.0' };

/** As an honest server answers. */
const HONEST: Readonly<Record<string, (params: Members) => Members>> = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo }),
  'server/discover': () => ({ supportedVersions: [MODERN], capabilities, serverInfo }),
  ping: () => ({}),
  'logging/setLevel': () => ({}),
  'tools/list': () => ({ tools: [tool('honest'), tool('act')] }),
  'tools/call': ({ name }) => say(name === 'honest' ? 'an honest answer' : FROM_HOSTILE),
  'prompts/list': () => ({ prompts: [{ name: 'honest', description: 'A prompt.' }] }),
  'prompts/get': () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'an honest prompt' } }] }),
  'resources/list': () => ({ resources: [{ uri: 'hostile://honest', name: 'Honest' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'an honest resource' }] }),
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
  'completion/complete': () => ({ completion: { values: ['honest'] } }),
};

class HostileServer {
  readonly #act: Act;
  readonly #wire: Wire;
  readonly #number: number;
  #lists = 0;

  constructor(act: Act, wire: Wire, number: number) {
    this.#act = act;
    this.#wire = wire;
    this.#number = number;
  }

  async start(): Promise<void> {
    await this.#act.start?.(this.#wire, this.#life);
  }

  async hear(line: string): Promise<void> {
    const message = JSON.parse(line) as Members & { readonly id?: number | string; readonly method?: string; readonly params?: Members };
    const { id, method, params = {} } = message;
    if (method === undefined) return this.#wire.hear(id, message);
    if (id === undefined) return undefined;
    const meta = (params['_meta'] ?? {}) as Members;
    return this.#answer({ id, method, params, isModern: meta[VERSION_KEY] !== undefined });
  }

  async #answer(asked: Asked): Promise<void> {
    const life = this.#life;
    if (asked.method === 'tools/list') this.#lists += 1;
    await (this.#find(asked) ?? this.#honestly)(asked, this.#wire, life);
  }

  #find({ method, params }: Asked): Answer | undefined {
    return this.#act.answers?.[method === 'tools/call' && params['name'] === 'act' ? 'act' : method];
  }

  readonly #honestly: Answer = (asked) => {
    const answer = HONEST[asked.method];
    if (answer === undefined) return this.#wire.send({ id: asked.id, error: { code: NOT_FOUND, message: 'Method not found' } });
    const isGreeting = asked.method === 'initialize' || asked.method === 'server/discover';
    return this.#wire.complete(asked, { ...answer(asked.params), ...(isGreeting && this.#act.greeting) });
  };

  get #life(): Life {
    return { number: this.#number, lists: this.#lists };
  }
}

/** How often it lived before. */
function countLife(file: string | undefined): number {
  if (file === undefined) return 0;
  const number = existsSync(file) ? readFileSync(file).length : 0;
  appendFileSync(file, '.');
  return number;
}

const [name = '', lifeFile] = process.argv.slice(2);
const behaviour = BEHAVIOURS.get(name);
if (behaviour === undefined) {
  process.stderr.write(`there is no behaviour ${JSON.stringify(name)}; there are ${[...BEHAVIOURS.keys()].join(', ')}\n`);
  process.exit(64);
}
const { act } = behaviour;
setTimeout(() => process.exit(0), LIFETIME_MS);
if (act.stays === true) process.on('SIGTERM', () => undefined);
const server = new HostileServer(act, new Wire(process.stdout), countLife(lifeFile));
await server.start();
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => void server.hear(line));
lines.on('close', () => {
  if (act.stays !== true) process.exit(0);
});
