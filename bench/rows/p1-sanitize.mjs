import { createSanitize, SAMPLES, textOf } from '../sanitization.mjs';
import { compare, toLines } from '../harness.mjs';
import { timeRuns } from '../load.mjs';

const ROUNDS = 15;
const SIZES = [
  { size: '1 KB', bytes: 1_024, runs: 5_000 },
  { size: '100 KB', bytes: 102_400, runs: 100 },
  { size: '10 MB', bytes: 10_485_760, runs: 1 },
];

/** A result that needs no change, on its whole way out, boundary and triggers included; not looked through for secrets. */
export async function measureSanitization() {
  return {
    id: 'P1',
    title: 'sanitizeToolResult on clean text, everything on but secrets',
    against: 'JSON.stringify of the same text',
    goal: '<= 1.0 x',
    lines: await linesFor({ secrets: false }),
  };
}

/** The same, as it is by default. */
export async function measureSecrets() {
  return {
    id: 'P2',
    title: 'sanitizeToolResult on clean text, everything on',
    against: 'JSON.stringify of the same text',
    goal: '<= 4 x',
    lines: await linesFor({ secrets: true }),
  };
}

async function linesFor(options) {
  const sanitize = createSanitize(options);
  const lines = [];
  for (const { size, bytes, runs } of SIZES) {
    for (const [kind, sample] of Object.entries(SAMPLES)) {
      lines.push(...toLines(await compare(contendersFor(sanitize, textOf(sample, bytes), { label: `${size} ${kind}`, runs }), ROUNDS)));
    }
  }
  return lines;
}

function contendersFor(sanitize, text, { label, runs }) {
  const encoded = new TextEncoder().encode(text);
  const [before, after] = sanitize(text).result.content[0].text.split(text);
  if (after === undefined || before.length > 100) throw new Error(`bench: ${label} is not clean`);
  return [
    { name: `${label}: JSON.stringify`, measure: () => timeRuns(() => JSON.stringify(text), runs) },
    { name: `${label}: sanitize a string`, measure: () => timeRuns(() => sanitize(text), runs) },
    { name: `${label}: sanitize bytes, decoding too`, measure: () => timeRuns(() => sanitize(encoded), runs) },
  ];
}
