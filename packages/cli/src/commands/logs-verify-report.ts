import type { Anchoring, Problem, ProblemCode, VerifyReport } from '@devs/storage';

/** What a person is told: the verdict, what it is about, and what it does not say. */
export function describeReport(report: VerifyReport): readonly string[] {
  return [headline(report), ...problemOf(report), ...factsOf(report), meaningOf(report)];
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

function factsOf({ first, last, records, store, erased, adopted, anchor, unanchored }: VerifyReport): readonly string[] {
  const range = first === null || last === null ? 'it holds no record' : `${records} read, ${first.seq} (${first.timestamp}) to ${last.seq} (${last.timestamp}, leaf ${last.leaf})`;
  return [
    `records: ${range}`,
    ...(store === null ? [] : [`log: ${store}`]),
    ...(first !== null && first.seq > 1 ? [`pruned: what was before record ${first.seq} was not read here`] : []),
    ...(erased > 0 ? [`erased: ${erased} payloads, each as a record says`] : []),
    ...adopted.slice(0, MOST_ADOPTED).map(describeAdopted),
    ...(anchor === 'none' ? [] : [`anchor: ${describeAnchor(anchor)}; ${unanchored} records after it have none`]),
  ];
}

const MOST_ADOPTED = 10;

function describeAdopted({ seq, upTo }: VerifyReport['adopted'][number]): string {
  const what = upTo !== null && upTo >= seq - 1 ? `records up to ${upTo} of another branch were` : 'what devs remembered of it was';
  return `adopted at record ${seq}: ${what} given up`;
}

const SIGNATURES: Readonly<Record<Anchoring['signature'], string>> = {
  pinned: 'signed by the key that was asked for',
  own: 'signed by the key that it names itself: nobody has said whose that is',
  none: 'a receipt, signed by nobody: as good as the place where it was kept',
};

function describeAnchor({ seq, kind, timestamp, signature }: Anchoring): string {
  return `the ${kind} of record ${seq}${timestamp === null ? '' : `, ${timestamp}`}, ${SIGNATURES[signature]}`;
}

function meaningOf({ verdict, anchor, problem }: VerifyReport): string {
  if (verdict === 'tampered') return `Keep the file and its copies as they are. ${whatHolds(anchor, problem)}.`;
  if (verdict === 'unknown' && problem?.code === 'anchor') return 'The records fit together; whether they are those that were written stays open.';
  if (verdict === 'unknown') return 'It was not all understood: nothing is said of it.';
  if (verdict === 'incomplete') return 'What was read fits together; what is missing may hide a change.';
  const checked = 'Checked: order, hashes, links, payloads, erasures, starts and outcomes of calls; of a database also its tables, its indexes and its list of open calls.';
  if (anchor !== 'none') return checked;
  return `${checked} Without an anchor this does not show a cut end, an older copy, or a log that was written anew as a whole: keep heads or receipts elsewhere, and name them with --against.`;
}

function whatHolds(anchor: VerifyReport['anchor'], problem: Problem | undefined): string {
  // It may be whole in itself, and another log.
  if (problem?.seq === null) return 'As a whole it is not what it should be: nothing is said of single records';
  return `${vouchedFor(anchor, problem?.code)}; nothing is said of those after it`;
}

/** Only what follows vouches for a record: where a link breaks, all before it may have been written anew in one piece. */
function vouchedFor(anchor: VerifyReport['anchor'], code: ProblemCode | undefined): string {
  if (code === 'payload') return 'The chain holds through the first bad record, and nothing is wrong with those before it';
  if (anchor === 'none') return 'Nothing vouches for the records before the first bad one either, all of which may have been written anew';
  return `Up to record ${anchor.seq} they agree with the ${anchor.kind}; those between it and the first bad one may have been written anew`;
}
