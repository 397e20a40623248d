import type { Anchoring, Problem, VerifyReport } from '@devs/storage';
import { countOf } from './logs-format.ts';

export interface ReportContext {
  /** Whose signature was believed, in words. Undefined: nobody's; each head was held against the key that it names itself. */
  readonly key: string | undefined;
  /** Whether a database was among what was read, and not exports alone. */
  readonly isDatabase: boolean;
}

/** What a person is told: the verdict, what it is about, and what it does not say. */
export function describeReport(report: VerifyReport, context: ReportContext): readonly string[] {
  return [headline(report), ...problemOf(report), ...factsOf(report, context), meaningOf(report, context)];
}

function headline({ verdict, anchor }: VerifyReport): string {
  if (verdict !== 'intact') return verdict;
  return anchor === 'none' ? 'intact, not anchored' : `intact, anchored at record ${anchor.seq}`;
}

function problemOf({ problem }: VerifyReport): readonly string[] {
  if (problem === undefined) return [];
  const { seq, what } = problem;
  return [`${seq === null ? 'of the log as a whole' : `first bad record: ${seq}`}: ${what}.`];
}

function factsOf(report: VerifyReport, context: ReportContext): readonly string[] {
  const { first, last, records, store, erased, adopted, anchor, unanchored } = report;
  const range = first === null || last === null ? 'it contains no record' : `${records} read, ${first.seq} (${first.timestamp}) to ${last.seq} (${last.timestamp}, leaf ${last.leaf})`;
  return [
    `records: ${range}`,
    ...(store === null ? [] : [`log: ${store}`]),
    ...(first !== null && first.seq > 1 ? [`pruned: the records before record ${first.seq} were not read here`] : []),
    ...(erased > 0 ? [`erased: ${countOf(erased, 'payload')}, as ${erased === 1 ? 'a record says' : 'records say'}`] : []),
    ...adopted.slice(0, MOST_ADOPTED).map(describeAdopted),
    ...describeOwnHeads(report, context),
    ...(anchor === 'none' ? [] : [`anchor: ${describeAnchor(anchor, context)}; ${countOf(unanchored, 'record')} after it ${unanchored === 1 ? 'has' : 'have'} none`]),
  ];
}

const MOST_ADOPTED = 10;

function describeAdopted({ seq, upTo }: VerifyReport['adopted'][number]): string {
  const signed = upTo === null ? '' : `, signed up to record ${upTo},`;
  // Behind the record that opened the log: whoever adopted it found nothing there.
  if (seq === NEW_LOG) return `adopted at record ${seq}: the log that lay here before${signed} was given up, and this one begun in its place`;
  const what = upTo !== null && upTo >= seq - 1 ? `records up to ${upTo} of another branch, or of another log, were` : 'what devs remembered of it was';
  return `adopted at record ${seq}: ${what} given up`;
}

const NEW_LOG = 2;

/** Heads in the log itself: they go where it goes, and nobody without the key can make one. */
function describeOwnHeads({ ownHeads, keyHead }: VerifyReport, { key }: ReportContext): readonly string[] {
  if (ownHeads === 0) return [];
  const agree = `heads in the log: ${ownHeads} ${ownHeads === 1 ? 'agrees' : 'agree'} with it`;
  if (keyHead !== null) return [`${agree}, the newest by ${key} at record ${keyHead.seq}, ${keyHead.timestamp}`];
  return [`${agree}, ${key === undefined ? 'signed by the key that each names itself' : `none of them signed by ${key}`}`];
}

function describeAnchor({ seq, kind, timestamp, signature }: Anchoring, { key }: ReportContext): string {
  return `the ${kind} of record ${seq}${timestamp === null ? '' : `, ${timestamp}`}, ${SIGNATURES[signature](key)}`;
}

const SIGNATURES: Readonly<Record<Anchoring['signature'], (key: string | undefined) => string>> = {
  pinned: (key) => `signed by ${key}`,
  own: () => 'signed by the key that it names itself; nobody has said whose key that is',
  none: () => 'an unsigned receipt: only as good as the place where it was kept',
};

function meaningOf(report: VerifyReport, context: ReportContext): string {
  const { verdict, anchor, keyHead, problem } = report;
  if (verdict === 'tampered') return `Keep the file and its copies as they are. ${whatHolds(report, context)}.`;
  if (verdict === 'unknown' && problem?.code === 'anchor') return 'The records fit together, but nothing shows whether they are the ones that were written.';
  if (verdict === 'unknown') return 'Not all of it was understood, so there is no verdict.';
  if (verdict === 'incomplete') return 'What was read fits together; what is missing may hide a change.';
  const beside = context.isDatabase ? '; and the tables and indexes of the database, its list of open calls, and its search index where there is one' : '';
  const checked = `Checked: order, hashes, links, payloads, erasures, starts and outcomes of calls${beside}.`;
  if (anchor !== 'none') return checked;
  const anew = keyHead === null ? 'or a log that was rewritten as a whole' : `another log of the same key, or that what is after record ${keyHead.seq} was rewritten`;
  const vouched = keyHead === null ? '' : ` ${describeKeyHead(keyHead, context)}.`;
  return `${checked}${vouched} Without an anchor this does not show a cut end, an older copy, ${anew}: keep heads or receipts elsewhere, and name them with --against.`;
}

function whatHolds(report: VerifyReport, context: ReportContext): string {
  const { problem } = report;
  // It may be whole in itself, and another log.
  if (problem === undefined || problem.seq === null) return 'The log as a whole is not what it should be, so nothing can be said of single records';
  return `${vouchedFor(report, { ...problem, seq: problem.seq }, context)}; nothing can be said of those after it`;
}

/** Only what follows vouches for a record: where a link breaks, all before it may have been written anew in one piece. */
function vouchedFor({ anchor, keyHead }: VerifyReport, { seq, code }: Problem & { readonly seq: number }, context: ReportContext): string {
  if (code === 'payload') return 'The chain holds through the first bad record, and nothing is wrong with those before it';
  const outside = anchor === 'none' ? undefined : { seq: anchor.seq, what: `Up to record ${anchor.seq} they agree with the ${anchor.kind}` };
  const inside = keyHead === null ? undefined : { seq: keyHead.seq, what: describeKeyHead(keyHead, context) };
  const newest = inside !== undefined && inside.seq > (outside?.seq ?? 0) ? inside : outside;
  if (newest === undefined) return 'Nothing vouches for the records before the first bad one either: all of them may have been rewritten';
  return newest.seq >= seq - 1 ? newest.what : `${newest.what}; those between it and the first bad one may have been rewritten`;
}

function describeKeyHead({ seq }: NonNullable<VerifyReport['keyHead']>, { key }: ReportContext): string {
  return `Up to record ${seq} a head in the log itself, signed by ${key}, vouches for the records`;
}
