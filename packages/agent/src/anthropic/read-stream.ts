import { isRecord, ownValue, readJsonStrictly } from '@devs/core';
import { LlmFailure, type LlmAnswer, type LlmEvent, type Usage } from '../llm-client.ts';

/** A real answer has some dozens; each costs more than its bytes. */
const MAX_BLOCKS = 1_000;
const NO_USAGE: Usage = Object.freeze({ inputTokens: 0, outputTokens: 0, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 });

/** A block that is being sent. */
interface Growing {
  readonly block: Record<string, unknown>;
  /** Pieces by the key that they add to: joined once, as adding to a text over and over can take the square of its length. */
  readonly pieces: Map<string, string[]>;
  isOpen: boolean;
}

interface Growth {
  readonly blocks: Growing[];
  stopReason: unknown;
  usage: Usage;
  state: 'before' | 'under way' | 'done';
}

/** Which member of a delta adds to which member of its block. */
const DELTAS = new Map([
  ['text_delta', { from: 'text', to: 'text' }],
  ['thinking_delta', { from: 'thinking', to: 'thinking' }],
  ['signature_delta', { from: 'signature', to: 'signature' }],
  ['input_json_delta', { from: 'partial_json', to: 'input' }],
]);

/**
 * The answer that a stream of the Messages API tells: its text as it comes, then the whole. The events are the
 * server's word; each is read by its own keys. Throws `LlmFailure` when they make no answer, or break off.
 */
export async function* readStream(events: AsyncIterable<unknown>): AsyncGenerator<LlmEvent> {
  const growth: Growth = { blocks: [], stopReason: null, usage: NO_USAGE, state: 'before' };
  for await (const event of events) {
    const text = take(event, growth);
    if (text !== '') yield { type: 'text', text };
    if (growth.state === 'done') break;
  }
  if (growth.state !== 'done') throw new LlmFailure('cut', 'The answer broke off.', { isRetryable: true });
  yield { type: 'answer', answer: toAnswer(growth) };
}

/** Gives the text that the event adds for a reader. */
function take(event: unknown, growth: Growth): string {
  const type = ownValue(event, 'type');
  if (type === 'message_start') return startMessage(event, growth);
  if (growth.state === 'before') throw broken('begins in its middle');
  switch (type) {
    case 'content_block_start':
      return startBlock(event, growth);
    case 'content_block_delta':
      return growBlock(event, growth);
    case 'content_block_stop':
      blockOf(event, growth).isOpen = false;
      return '';
    case 'message_delta':
      return endMessage(event, growth);
    case 'message_stop':
      return stopMessage(growth);
    default:
      // The API may send events that are not known yet; nothing is done for them.
      return '';
  }
}

function startMessage(event: unknown, growth: Growth): string {
  if (growth.state !== 'before') throw broken('begins twice');
  growth.state = 'under way';
  growth.usage = readUsage(ownValue(ownValue(event, 'message'), 'usage'), growth.usage);
  return '';
}

/** A call in a block that nobody ended, or in an answer without a reason to end, may be half of one: it must not run. */
function stopMessage(growth: Growth): string {
  if (growth.stopReason === null) throw broken('ends without a reason');
  if (growth.blocks.some(({ isOpen }) => isOpen)) throw broken('ends in the middle of a block');
  growth.state = 'done';
  return '';
}

function endMessage(event: unknown, growth: Growth): string {
  growth.stopReason = ownValue(ownValue(event, 'delta'), 'stop_reason') ?? growth.stopReason;
  growth.usage = readUsage(ownValue(event, 'usage'), growth.usage);
  return '';
}

function startBlock(event: unknown, growth: Growth): string {
  const block = ownValue(event, 'content_block');
  if (!isRecord(block) || ownValue(event, 'index') !== growth.blocks.length) throw broken('has blocks out of order');
  if (growth.blocks.at(-1)?.isOpen === true) throw broken('begins a block in the middle of another');
  if (growth.stopReason !== null) throw broken('goes on behind its end');
  if (growth.blocks.length >= MAX_BLOCKS) throw new LlmFailure('too_large', `The answer has more than ${MAX_BLOCKS} blocks.`);
  growth.blocks.push({ block, pieces: new Map(), isOpen: true });
  const text = ownValue(block, 'type') === 'text' ? ownValue(block, 'text') : '';
  return typeof text === 'string' ? text : '';
}

function growBlock(event: unknown, growth: Growth): string {
  const { pieces, block } = blockOf(event, growth);
  const delta = ownValue(event, 'delta');
  const rule = DELTAS.get(String(ownValue(delta, 'type')));
  if (rule === undefined) return '';
  const piece = ownValue(delta, rule.from);
  if (typeof piece !== 'string') throw broken('has a piece that is no text');
  const soFar = pieces.get(rule.to) ?? [];
  pieces.set(rule.to, soFar);
  soFar.push(piece);
  return rule.to === 'text' && ownValue(block, 'type') === 'text' ? piece : '';
}

function blockOf(event: unknown, { blocks }: Growth): Growing {
  const index = ownValue(event, 'index');
  const growing = typeof index === 'number' ? blocks[index] : undefined;
  if (growing?.isOpen !== true) throw broken('adds to a block that is not open');
  return growing;
}

function toAnswer({ blocks, stopReason, usage }: Growth): LlmAnswer {
  return { response: { content: blocks.map(finish), stop_reason: stopReason }, usage };
}

function finish({ block, pieces }: Growing): Record<string, unknown> {
  const finished = { ...block };
  for (const [key, texts] of pieces) {
    const text = texts.join('');
    const start = ownValue(block, key);
    finished[key] = key === 'input' ? readInput(text, start) : `${typeof start === 'string' ? start : ''}${text}`;
  }
  return finished;
}

/** Text that is no sound JSON stays text, so that whoever validates the call can say what is wrong with it. */
function readInput(text: string, start: unknown): unknown {
  if (text === '') return start;
  const reading = readJsonStrictly(text);
  return 'value' in reading ? reading.value : text;
}

function readUsage(usage: unknown, before: Usage): Usage {
  const count = (key: string, old: number) => {
    const value = ownValue(usage, key);
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : old;
  };
  return {
    inputTokens: count('input_tokens', before.inputTokens),
    outputTokens: count('output_tokens', before.outputTokens),
    cacheCreationInputTokens: count('cache_creation_input_tokens', before.cacheCreationInputTokens),
    cacheReadInputTokens: count('cache_read_input_tokens', before.cacheReadInputTokens),
  };
}

function broken(how: string): LlmFailure {
  return new LlmFailure('cut', `The stream of the answer ${how}.`, { isRetryable: true });
}
