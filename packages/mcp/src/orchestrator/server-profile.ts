import type { ServerCapabilities } from '@modelcontextprotocol/server';

/** What clients are told of devs when they come. */
export interface ServerProfile {
  readonly capabilities: ServerCapabilities;
  /** Before what the gate says of its answers. */
  readonly introduction: string;
  /** What servers behind devs say of themselves. Behind all that devs says: clients cut what is long, and must cut this. */
  readonly said?: string;
}

const INTRODUCTION =
  'devs guards these tools: every call is checked, run confined and written to a log. ' +
  'A refused call has isError and says in one sentence what to change. Paths are relative to the project folder.';

/** Tools of devs's own, which stay as they are. */
export const OWN_PROFILE: ServerProfile = Object.freeze({ capabilities: Object.freeze({ tools: {} }), introduction: INTRODUCTION });

/** In front of servers that are started when they are needed: what they may turn out to offer. */
export const GATEWAY_PROFILE: ServerProfile = Object.freeze({
  capabilities: Object.freeze({
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    completions: {},
    logging: {},
  }),
  introduction:
    'devs guards these tools: every call is checked and written to a log. ' +
    'A refused call has isError and says in one sentence what to change. Paths of its own tools are relative to the project folder.',
});
