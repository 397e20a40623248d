import type { CodeEnd, CodeOutcome, CodePlan, ConfinedProcess, ProcessExit } from '@devs/core';
import type { Duplex } from 'node:stream';
import { encodeFrame, FRAME, FrameReader } from './channel.ts';
import { GuestCalls } from './guest-calls.ts';
import { GuestTimers, MOST_TIMERS } from './guest-timers.ts';
import { parseGuestMessage, type GuestMessage } from './guest-message.ts';

/** UTF-16 units, as `prelude.cts` counts them. */
const MOST_PRINTED = 65_536;
/** UTF-16 units of a message without its text, and of each character of that as JSON: whoever sends more stuffs it, for devs to read. */
const [MOST_AROUND, MOST_OF_CHARACTER] = [200, 6];

export interface CodeRules {
  readonly maxToolCalls: number;
  readonly noticeId: string;
  /** Of an engine that is ready for the code. */
  readonly image: Uint8Array;
}

type Ending = Pick<CodeOutcome, 'end' | 'sanitize'>;

const BROKEN: CodeEnd = Object.freeze({ kind: 'broken' });

/** One run: devs's end of the channel. Whatever comes from the other end may come from whoever broke out of the engine. */
export class CodeRun {
  readonly #frames = new FrameReader();
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #stop = new AbortController();
  readonly #ending: Promise<Ending>;
  readonly #calls: GuestCalls;
  readonly #timers: GuestTimers;
  readonly #channel: Duplex;
  readonly #settle: (ending: Ending) => void;
  #hasEnded = false;
  #printed = '';
  #omitted = 0;
  #messagesLeft: number;

  constructor(channel: Duplex, plan: CodePlan, rules: CodeRules) {
    const { promise, resolve } = Promise.withResolvers<Ending>();
    this.#channel = channel;
    this.#ending = promise;
    this.#settle = resolve;
    const signal = AbortSignal.any([plan.signal, this.#stop.signal]);
    const write = (frame: Buffer) => this.#write(frame);
    this.#calls = new GuestCalls({ plan, ...rules, signal, write });
    this.#timers = new GuestTimers(write);
    this.#messagesLeft = MOST_PRINTED + 1 + rules.maxToolCalls + 1 + MOST_TIMERS + 1;
    channel.on('data', (chunk: Buffer) => this.#hear(chunk));
    for (const [kind, content] of [[FRAME.image, rules.image], [FRAME.tools, plan.tools.join('\n')], [FRAME.code, plan.code]] as const) {
      void this.#write(encodeFrame(kind, 0, content));
    }
  }

  /** How it ended: as the guest says while it can be believed, and as its process did if it says nothing. */
  async outcome(process: Pick<ConfinedProcess, 'exit'>): Promise<CodeOutcome> {
    void process.exit.then((exit) => this.#end(endOfProcess(exit)));
    const ending = await this.#ending;
    const { list: notices } = this.#calls.notices;
    return { ...ending, printed: this.#printed, omitted: this.#omitted, notices, calls: this.#calls.count };
  }

  #hear(chunk: Buffer): void {
    if (this.#hasEnded) return;
    try {
      for (const bytes of this.#frames.add(chunk)) this.#obey(this.#decoder.decode(bytes));
    } catch {
      this.#end(BROKEN);
    }
  }

  #obey(json: string): void {
    // After its end nothing of it is believed, even if it came along with it.
    if (this.#hasEnded) return;
    this.#messagesLeft -= 1;
    const message = this.#messagesLeft < 0 ? undefined : parseGuestMessage(json);
    const end = message === undefined ? BROKEN : this.#take(message, json.length);
    if (end !== undefined) this.#end(end);
  }

  /** How the message ends the run, if it does without saying so. */
  #take(message: GuestMessage, length: number): CodeEnd | undefined {
    switch (message.type) {
      case 'call':
        return this.#calls.add(message, length);
      case 'sleep':
        return length <= MOST_AROUND && this.#timers.add(message) ? undefined : BROKEN;
      case 'print':
        return length <= MOST_AROUND + message.text.length * MOST_OF_CHARACTER && this.#print(message) ? undefined : BROKEN;
      case 'end':
        this.#omitted = Math.max(this.#omitted, message.omitted);
        this.#end(message.end, message.sanitize);
        return undefined;
    }
  }

  #print({ text, omitted }: Extract<GuestMessage, { type: 'print' }>): boolean {
    if (this.#printed.length + text.length > MOST_PRINTED) return false;
    this.#printed += text;
    this.#omitted = Math.max(this.#omitted, omitted);
    return true;
  }

  /** What it says of `__sanitize__` can only tighten; an end that is not its own tightens by itself. */
  #end(end: CodeEnd, sanitize?: boolean): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stop.abort();
    this.#timers.clear();
    const isOwn = end.kind === 'value' || end.kind === 'thrown';
    this.#settle({ end, sanitize: isOwn ? sanitize : true });
  }

  async #write(frame: Buffer): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#channel.write(frame, () => resolve());
    });
  }
}

function endOfProcess(exit: ProcessExit): CodeEnd {
  if (exit.kind !== 'limit') return BROKEN;
  switch (exit.limit) {
    case 'wall':
      return { kind: 'limit', limit: 'time' };
    case 'memory':
    case 'output':
      return { kind: 'limit', limit: exit.limit };
    case 'processes':
      return BROKEN;
  }
}
