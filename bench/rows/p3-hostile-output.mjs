import { fileURLToPath } from 'node:url';
import { startNode } from '../child.mjs';
import { median, showTime } from '../harness.mjs';
import { HOSTILE_OUTPUTS } from '../hostile-outputs.mjs';

const ROUNDS = 3;
const BYTES = 10_000_000;
const CHILD = fileURLToPath(new URL('../hostile-output.mjs', import.meta.url));

/** Each text in processes of its own: what it costs to clean, and what half of it costs. */
export async function measureHostileOutput() {
  const lines = [];
  for (const [number, [name]] of HOSTILE_OUTPUTS.entries()) {
    const [without, withSecrets, half] = [
      await runCase({ number, bytes: BYTES, secrets: false }),
      await runCase({ number, bytes: BYTES, secrets: true }),
      await runCase({ number, bytes: BYTES / 2, secrets: true }),
    ];
    const growth = `${(withSecrets.milliseconds / half.milliseconds).toFixed(1)} x`;
    lines.push({ name, figures: [...show(without), ...show(withSecrets), growth, withSecrets.outcome] });
  }
  return {
    id: 'P3',
    title: '10 MB of hostile output: time and memory without secrets, the same with them, times that of half as much',
    against: 'nothing; memory is what the process took at most beyond what stood before, 10 or 20 MB of it the text itself',
    goal: '<= 1 s without secrets, <= 5 s with them; <= 80 MB; linear',
    lines,
  };
}

async function runCase({ number, bytes, secrets }) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await runOnce([String(number), String(bytes), String(secrets)]));
  const middle = (key) => median(rounds.map((measured) => measured[key]));
  return { milliseconds: middle('milliseconds'), kilobytes: middle('kilobytes'), outcome: rounds[0].outcome };
}

async function runOnce(args) {
  const { child, exited, said } = startNode([CHILD, ...args]);
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    printed += chunk;
  });
  const [code] = await exited;
  if (code !== 0) throw new Error(`the text "${HOSTILE_OUTPUTS[Number(args[0])][0]}" ended with ${code}. It said: ${said()}`);
  return JSON.parse(printed);
}

function show({ milliseconds, kilobytes }) {
  return [showTime(milliseconds * 1_000), `${(kilobytes / 1_024).toFixed(0)} MB`];
}
