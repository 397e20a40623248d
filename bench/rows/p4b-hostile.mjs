import { fileURLToPath } from 'node:url';
import { startNode } from '../child.mjs';
import { median, showTime } from '../harness.mjs';
import { HOSTILE_CASES } from '../hostile-cases.mjs';

const ROUNDS = 3;
const CHECK = fileURLToPath(new URL('../hostile-check.mjs', import.meta.url));

/** Each case in processes of its own, so that neither a warm engine nor another's garbage helps or hurts. */
export async function measureHostile() {
  const lines = [];
  for (const [number, { name }] of HOSTILE_CASES.entries()) {
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await runCase(number));
    lines.push({ name, figures: [...show(rounds.map(({ registration }) => registration)), ...show(rounds.map(({ validation }) => validation))] });
  }
  return {
    id: 'P4b',
    title: 'hostile schemas and arguments: to register, and to check once; time, memory beyond what stood before',
    against: 'nothing; the first line is what a process takes that does little',
    goal: '<= 2 s and <= 150 MB each, on a quiet machine',
    lines,
  };
}

async function runCase(number) {
  const { child, exited, said } = startNode([CHECK, String(number)]);
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    printed += chunk;
  });
  const [code] = await exited;
  if (code !== 0) throw new Error(`the case "${HOSTILE_CASES[number].name}" ended with ${code}. It said: ${said()}`);
  return JSON.parse(printed);
}

/** A schema that was refused has nothing to check arguments with. */
function show(rounds) {
  if (rounds.some((round) => round === undefined)) return [];
  const milliseconds = median(rounds.map((round) => round.milliseconds));
  const megabytes = median(rounds.map(({ kilobytes }) => kilobytes)) / 1_024;
  return [showTime(milliseconds * 1_000), `${megabytes.toFixed(1)} MB`, rounds[0].isRefused ? 'refused' : 'fits'];
}
