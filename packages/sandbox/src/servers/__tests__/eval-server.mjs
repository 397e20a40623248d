// A server that does what it is told: each line is code, each answer a line.
import { createInterface } from 'node:readline';

const AsyncFunction = (async () => undefined).constructor;
process.stderr.write('the server begins\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { id, code } = JSON.parse(line);
  const answer = await new AsyncFunction('load', code)((name) => import(name)).then(
    (value) => ({ id, value: value ?? null }),
    (error) => ({ id, error: String(error.code ?? error.message) }),
  );
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
