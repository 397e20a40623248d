import { isRecord } from '@devs/core';
import { isHex, isSeq, parseJson, toHead, toSignedHead, type Head, type SignedHead } from './signed-head.ts';

/** What a log can be held against. Its form was looked at; a signature was not verified. */
export type FoundHead = FoundAt &
  (
    | { readonly kind: 'head'; readonly signed: SignedHead; readonly head: Head }
    /** From an answer: signed by nobody, so it is worth what the place is worth that it was kept in. */
    | { readonly kind: 'receipt'; readonly seq: number; readonly leaf: string }
  );

interface FoundAt {
  readonly line: number;
  /** Its name, where there are several. */
  readonly file?: string;
}

export interface HeadsRead {
  readonly found: readonly FoundHead[];
  /** Lines, counted from 1, that look like one and are none. */
  readonly refused: readonly { readonly line: number; readonly what: string }[];
}

/** How a head begins wherever it stands, and no sentence of a system log does. */
const HEAD_START = '{"head":"';
/** A whole head, whatever follows it, or the beginning alone: some system logs put messages on one line. */
const HEADS = /\{"head":"(?:(?:[^"\\]|\\.){0,1024}","signature":"[^"\\]{0,128}"\})?/g;
const RECEIPT_START = '{"seq":';
const RECEIPT_MEMBER = 'devs/receipt';

/**
 * What a text holds that a log can be held against: lines of heads or receipts, answers that carry a receipt, lines of a system log with a head in
 * them. Other lines are passed over. Never throws.
 */
export function readHeads(text: string): HeadsRead {
  const found: FoundHead[] = [];
  const refused: { line: number; what: string }[] = [];
  for (const [index, content] of text.split('\n').entries()) {
    const line = index + 1;
    const readings = readLine(content, line);
    for (const reading of readings) if (reading !== 'broken') found.push(reading);
    if (readings.includes('broken')) refused.push({ line, what: 'looks like a head or a receipt, and is cut off or changed' });
  }
  return { found, refused };
}

type Reading = FoundHead | 'broken';

function readLine(content: string, line: number): readonly Reading[] {
  if (content.includes(HEAD_START)) return [...content.matchAll(HEADS)].map(([text]) => toFound(text, line));
  if (content.trimStart().startsWith(RECEIPT_START)) return [toReceipt(parseJson(content), line) ?? 'broken'];
  // Only at the place where devs puts it: a tool may write a member of this name into its own part of an answer.
  const receipt = content.includes(RECEIPT_MEMBER) ? fromAnswer(parseJson(content), line) : undefined;
  return receipt === undefined ? [] : [receipt];
}

function toFound(text: string, line: number): Reading {
  const signed = toSignedHead(parseJson(text));
  const head = signed === undefined ? undefined : toHead(signed.head);
  return signed === undefined || head === undefined ? 'broken' : { kind: 'head', line, signed, head };
}

/** An answer as a client keeps it: the result, or the message around it. */
function fromAnswer(answer: unknown, line: number): FoundHead | undefined {
  if (!isRecord(answer)) return undefined;
  const result = isRecord(answer['result']) ? answer['result'] : answer;
  const meta = result['_meta'];
  return isRecord(meta) ? toReceipt(meta[RECEIPT_MEMBER], line) : undefined;
}

function toReceipt(value: unknown, line: number): FoundHead | undefined {
  if (!isRecord(value) || Object.keys(value).join() !== 'seq,leaf') return undefined;
  const { seq, leaf } = value;
  return isSeq(seq) && isHex(leaf, 64) ? { kind: 'receipt', line, seq, leaf } : undefined;
}
