import type { ErrorCode } from '@devs/core';
import type { Asked, Members, Wire } from './wire.ts';

/** What a client asks of the server behind devs. */
export interface Request {
  readonly method: string;
  readonly params: Members;
}

/** Of the protocol: the older with its sessions, or the newer without. */
export type Era = 'legacy' | 'modern';

/** What must become of the request, seen by the client. Whatever it is: in time, and the next honest call is answered. */
export type Must =
  /** It ends with one of these codes, in the answer and in the log. `eventually`: once devs has noticed; asked again until then. */
  | { readonly kind: 'refused'; readonly codes: readonly ErrorCode[]; readonly eventually?: true }
  /** It is answered, with a text that holds this. */
  | { readonly kind: 'answered'; readonly holds: string }
  /** The answer is an error, of the protocol or of the tool. */
  | { readonly kind: 'failed' }
  /** It is answered, one way or the other. */
  | { readonly kind: 'in time' };

/** Which life of the process this is, and what it has been asked in it. */
export interface Life {
  /** 0 for the first. */
  readonly number: number;
  readonly lists: number;
}

export type Answer = (asked: Asked, wire: Wire, life: Life) => void | Promise<void>;

/** In what the server differs from an honest one. */
export interface Act {
  /** In the place of members of its answer to `initialize` and `server/discover`. */
  readonly greeting?: Members;
  /** Answers to methods. `act` is the call of the tool of that name. */
  readonly answers?: Readonly<Record<string, Answer>>;
  /** As soon as it runs. */
  readonly start?: (wire: Wire, life: Life) => void | Promise<void>;
  /** It goes on when its input has ended, and when it is asked to end. */
  readonly stays?: true;
}

export interface Behaviour {
  /** The argument of the process. */
  readonly name: string;
  /** What it does, in one line. */
  readonly title: string;
  readonly provoke: Request;
  readonly must: Must;
  /** Nothing that reaches the client may hold one of these, at any time. */
  readonly never?: readonly string[];
  /** It says something of servers beside each other, or of a server that was never there: nothing that one server alone shows. */
  readonly isOfMany?: true;
  /** The one in which it says what it has to say. Default: `legacy`. */
  readonly era?: Era;
  /** What the client declares that it can. Default: nothing. */
  readonly client?: Members;
  readonly act: Act;
}

export const CALL: Request = { method: 'tools/call', params: { name: 'act', arguments: {} } };
export const IN_TIME: Must = { kind: 'in time' };
export const FAILED: Must = { kind: 'failed' };
export const refused = (...codes: readonly ErrorCode[]): Must => ({ kind: 'refused', codes });
export const answered = (holds: string): Must => ({ kind: 'answered', holds });
/** Nobody is offered the tool, and whoever knows its name is refused. */
export const NOT_OFFERED: Must = refused('UNKNOWN_TOOL', 'TOOL_NOT_APPROVED');

export const say = (text: string): Members => ({ content: [{ type: 'text', text }] });
export const tool = (name: string, rest: Members = {}): Members => ({ name, description: `The tool ${name}.`, inputSchema: { type: 'object' }, ...rest });

/** A server whose tool `act` answers so. */
export const acts = (answer: Answer): Act => ({ answers: { act: answer } });
/** A server whose tool `act` is defined so, and answers. */
export const defines = (rest: Members): Act => lists('tools/list', { tools: [tool('honest'), tool('act', rest)] });
/** A server that answers one method so. */
export const lists = (method: string, result: Members): Act => ({ answers: { [method]: (asked, wire) => wire.complete(asked, result) } });
