import { Buffer } from 'node:buffer';
import { createOutputSanitizer, DEFAULT_CONFIG, silentLogger } from '../../packages/core/dist/index.js';
import { sanitizeToolResult } from '../../packages/core/dist/sanitization/sanitize-tool-result.js';
import { compare, toLines } from '../harness.mjs';
import { timeRuns } from '../load.mjs';

const ROUNDS = 15;
const SIZES = [
  { size: '1 KB', bytes: 1_024, runs: 5_000 },
  { size: '100 KB', bytes: 102_400, runs: 100 },
  { size: '10 MB', bytes: 10_485_760, runs: 1 },
];
/** A line each, as a file of source or of prose has them; JSON has to escape a little of both. */
const SAMPLES = {
  ASCII: "  if (chunk.length > limit) return refuse('the message is too large');\n",
  mixed: 'Der Fuchs springt über den "faulen" Hund — 素早い茶色の狐 — naïve café 🦊.\n',
};

const context = {
  sanitizer: createOutputSanitizer(DEFAULT_CONFIG),
  logger: silentLogger,
  toolName: 'read_file',
  taskId: '',
  turnIndex: 0,
};

/** The step that every result of every tool goes through, as the gate calls it, on text that needs no change. */
export async function measureSanitization() {
  const lines = [];
  for (const { size, bytes, runs } of SIZES) {
    for (const [kind, sample] of Object.entries(SAMPLES)) {
      lines.push(...toLines(await compare(contendersFor(textOf(sample, bytes), `${size} ${kind}`, runs), ROUNDS)));
    }
  }
  return {
    id: 'P1',
    title: 'sanitizeToolResult on clean text, without secrets',
    against: 'JSON.stringify of the same text',
    goal: '<= 1.0 x',
    lines,
  };
}

function contendersFor(text, label, runs) {
  const encoded = new TextEncoder().encode(text);
  const sanitize = (raw) => sanitizeToolResult({ content: [{ type: 'text', text: raw }] }, context);
  if (sanitize(text).result.content[0].text !== text) throw new Error(`bench: ${label} is not clean`);
  return [
    { name: `${label}: JSON.stringify`, measure: () => timeRuns(() => JSON.stringify(text), runs) },
    { name: `${label}: sanitize a string`, measure: () => timeRuns(() => sanitize(text), runs) },
    { name: `${label}: sanitize bytes, decoding too`, measure: () => timeRuns(() => sanitize(encoded), runs) },
  ];
}

/** Whole lines, filled up with spaces to `bytes` of UTF-8; flat, as a decoder would have made it. */
function textOf(sample, bytes) {
  const text = sample.repeat(Math.floor(bytes / Buffer.byteLength(sample)));
  return Buffer.from(text + ' '.repeat(bytes - Buffer.byteLength(text))).toString('utf8');
}
