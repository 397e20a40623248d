import type { CodeEnd, CodePlan } from '@devs/core';
import { encodeFrame, FRAME } from './channel.ts';
import type { GuestMessage } from './guest-message.ts';
import { Notices } from './notices.ts';
import { toToolAnswer, type ToolAnswer } from './tool-answer.ts';

/** At once, for one run. The others wait. */
const MOST_AT_ONCE = 16;
/** Of all messages with arguments, of one run. */
const MOST_BYTES = 16_777_216;

export interface CallRules {
  readonly plan: Pick<CodePlan, 'tools' | 'callTool'>;
  readonly maxToolCalls: number;
  readonly noticeId: string;
  /** Aborted when the run has ended. */
  readonly signal: AbortSignal;
  /** Resolves when the guest has taken it: what it does not take must not pile up here. */
  readonly write: (frame: Buffer) => Promise<void>;
}

type Call = Extract<GuestMessage, { type: 'call' }>;

/** The calls of one run: counted, in their order, and not too many at once. */
export class GuestCalls {
  readonly notices = new Notices();
  readonly #rules: CallRules;
  readonly #tools: ReadonlySet<string>;
  readonly #waiting: Call[] = [];
  #running = 0;
  #count = 0;
  #bytes = 0;

  constructor(rules: CallRules) {
    this.#rules = rules;
    this.#tools = new Set(rules.plan.tools);
  }

  get count(): number {
    return this.#count;
  }

  /** Takes a call on; or says how it ends the run. @param bytes of its message */
  add(call: Call, bytes: number): CodeEnd | undefined {
    // The prelude refuses other names itself, and counts: whoever sends this is not the prelude.
    if (call.id !== this.#count + 1 || !this.#tools.has(call.tool)) return { kind: 'broken' };
    if (this.#count === this.#rules.maxToolCalls) return { kind: 'limit', limit: 'calls' };
    this.#bytes += bytes;
    if (this.#bytes > MOST_BYTES) return { kind: 'limit', limit: 'output' };
    this.#count += 1;
    this.#waiting.push(call);
    this.#next();
    return undefined;
  }

  #next(): void {
    if (this.#running === MOST_AT_ONCE || this.#rules.signal.aborted) return;
    const call = this.#waiting.shift();
    if (call === undefined) return;
    this.#running += 1;
    void this.#answer(call).finally(() => {
      this.#running -= 1;
      this.#next();
    });
  }

  /** Never rejects: a write fails only when the guest has gone. */
  async #answer({ id, tool, args }: Call): Promise<void> {
    const { hasFailed, text, notices } = await this.#call(tool, args);
    if (this.#rules.signal.aborted) return;
    this.notices.add(notices);
    await this.#rules.write(encodeFrame(hasFailed ? FRAME.error : FRAME.text, id, text));
  }

  async #call(tool: string, args: unknown): Promise<ToolAnswer> {
    const { plan, signal, noticeId } = this.#rules;
    try {
      return toToolAnswer(await plan.callTool(tool, args, signal), noticeId);
    } catch {
      // The gate answers, and does not throw; what it would say then is not for code.
      return { hasFailed: true, text: 'The tool could not be called.', notices: [] };
    }
  }
}
