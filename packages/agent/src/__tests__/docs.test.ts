import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { answers, startFakeApi, text } from './fake-api.ts';
import { work } from './readme-example.ts';

it('README.md has the example that runs here', async () => {
  const read = (...place: string[]) => readFileSync(path.resolve(process.cwd(), ...place), 'utf8');
  const example = read('src', '__tests__', 'readme-example.ts').replace("'../index.ts'", "'@devs/agent'");
  expect(read('README.md')).toContain(`\`\`\`ts\n${example}\`\`\``);
  await using api = await startFakeApi([answers([text('hi')])]);
  const { result, seen } = await work('a task', { apiKey: 'none', baseUrl: api.url });
  expect(result).toMatchObject({ status: 'ok', text: 'hi', turns: 1 });
  expect(seen).toEqual(['start', 'turn', 'text', 'result']);
});
