// What the suite said, for people.
import process from 'node:process';
import { differences, showDifference } from './differences.mjs';

const CUT = 400;

/** A table of one run. `show`: what failed, all (also what passed, and what nobody requires), or how many alone. */
export function printVerdicts(title, verdicts, { show }) {
  const required = verdicts.filter((verdict) => verdict.required);
  const passed = required.filter((verdict) => verdict.passed);
  const shown = verdicts.filter((verdict) => show === 'all' || (show === 'failures' && verdict.required && !verdict.passed));
  process.stdout.write(`\n${title}: ${passed.length} of ${required.length} required scenarios pass\n${shown.map(toLines).join('')}`);
}

function toLines({ scenario, required, passed, checks }) {
  const good = checks.filter(({ status }) => status === 'SUCCESS').length;
  const bad = checks.filter(({ status }) => status === 'FAILURE');
  const reasons = bad.map(({ id, errorMessage }) => `          ${id}: ${oneLine(errorMessage)}\n`);
  const nothing = checks.length === 0 ? '          it did not run\n' : '';
  return `  ${passed ? 'ok  ' : 'FAIL'}  ${scenario}${required ? '' : ' (not required)'}: ${good} good, ${bad.length} bad\n${reasons.join('')}${nothing}`;
}

/** A warning is a SHOULD that was not done: it fails no server, and is worth a look. */
export function warningsOf(sets) {
  const lines = [...sets].flatMap(([revision, verdicts]) =>
    verdicts.flatMap(({ scenario, checks }) =>
      checks.filter(({ status }) => status === 'WARNING').map(({ id, errorMessage }) => `  warning  ${revision} ${scenario} ${id}: ${oneLine(errorMessage)}\n`),
    ),
  );
  return lines.join('');
}

/** Verdicts that differ, and what the suite kept of the answers where it differs. */
export function describeDifferences(left, right) {
  const lines = [...left].flatMap(([revision, verdicts]) => {
    const others = new Map((right.get(revision) ?? []).map((verdict) => [verdict.scenario, verdict]));
    return verdicts.flatMap((verdict) => compareVerdicts(revision, verdict, others.get(verdict.scenario)));
  });
  return lines.length === 0 ? '  nothing\n' : lines.map((line) => `  ${line}\n`).join('');
}

function compareVerdicts(revision, left, right) {
  const name = `${revision} ${left.scenario}`;
  const verdict = left.passed === right?.passed ? [] : [`${name}: ${wordFor(left)} -> ${right === undefined ? 'not run' : wordFor(right)}`];
  const details = differences(keptOf(left), right === undefined ? {} : keptOf(right)).filter(({ path }) => !CHANGES_EACH_TIME.test(path));
  return [...verdict, ...details.map((found) => `${name}: ${showDifference(found)}`)];
}

/** Ids, addresses and states are never twice the same. */
const CHANGES_EACH_TIME = /serverUrl|sessionId|requestState|subscriptionId|devs\/|hostHeader|originHeader|\.id$/;

const wordFor = ({ passed }) => (passed ? 'passes' : 'fails');
/** What is only told is traffic. */
const keptOf = ({ checks }) => Object.fromEntries(checks.filter(({ status }) => status !== 'INFO').map(({ id, details }) => [id, details ?? {}]));

function oneLine(text = 'no reason given') {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > CUT ? `${line.slice(0, CUT)}…` : line;
}
