// The step that every result of every tool goes through, as the gate calls it.
import { randomUUID } from 'node:crypto';
import { Buffer } from 'node:buffer';
import { createOutputSanitizer, DEFAULT_CONFIG, DEFAULT_OUTPUT_CONFIG, OutputPolicy, sanitizeToolResult, silentLogger } from '../packages/core/dist/index.js';

/** Nothing is cut: what is measured is the looking at all of it. */
const OUTPUT = { ...DEFAULT_OUTPUT_CONFIG, maxSizeBytes: 268_435_456 };
const FOREIGN_TOOL = { name: 'fetch_page', labels: ['untrusted'] };

/** @param {{ secrets: boolean, maxBytes?: number }} options */
export function createSanitize({ secrets, maxBytes = 33_554_432 }) {
  const policy = new OutputPolicy({ sanitize: { ...DEFAULT_CONFIG.sanitize, secrets } });
  const context = {
    sanitizer: createOutputSanitizer({ mcp: { maxToolOutputBytes: maxBytes } }),
    logger: silentLogger,
    toolName: FOREIGN_TOOL.name,
    taskId: '',
    turnIndex: 0,
    authorship: 'foreign',
    steps: policy.stepsFor(FOREIGN_TOOL, OUTPUT, true),
    wrapper: policy.wrapperFor('server/fetch_page'),
    noticeId: policy.noticeId,
    createId: randomUUID,
  };
  return (raw) => sanitizeToolResult({ content: [{ type: 'text', text: raw }] }, OUTPUT, context);
}

/** A line each, as a file of source or of prose has them; JSON has to escape a little of both. */
export const SAMPLES = {
  ASCII: "  if (chunk.length > limit) return refuse('the message is too large');\n",
  mixed: 'Der Fuchs springt über den "faulen" Hund — 素早い茶色の狐 — naïve café 🦊.\n',
};

/** Whole lines, filled up with spaces to `bytes` of UTF-8; flat, as a decoder would have made it. */
export function textOf(sample, bytes) {
  const text = sample.repeat(Math.floor(bytes / Buffer.byteLength(sample)));
  return Buffer.from(text + ' '.repeat(bytes - Buffer.byteLength(text))).toString('utf8');
}
