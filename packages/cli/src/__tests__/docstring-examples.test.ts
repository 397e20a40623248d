import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const CLI = path.resolve(__dirname, '..', '..');
const PACKAGES = path.dirname(CLI);
/** A line that prints, and what it says that it prints. */
const PRINTED = /^\s*console\.log\(.*\); \/\/ (.*)$/gm;

interface Example {
  readonly place: string;
  readonly code: string;
  readonly printed: readonly string[];
}

function sourcesOf(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes('__tests__')).map((entry) => path.join(entry.parentPath, entry.name));
}

/** The code in the docstrings of a file, behind `@example`. */
function examplesIn(file: string): readonly Example[] {
  const found = readFileSync(file, 'utf8').matchAll(/^ \* @example\n \* ```ts\n((?: \*.*\n)*?) \* ```$/gm);
  return [...found].map(([, block = ''], index) => {
    const code = block.replaceAll(/^ \* ?/gm, '');
    return { place: `${path.relative(PACKAGES, file)} #${String(index + 1)}`, code, printed: [...code.matchAll(PRINTED)].map(([, text = '']) => text) };
  });
}

/** Each in a function of its own: two may use one name. */
function toProgram(examples: readonly Example[]): string {
  const bodies = examples.map(({ code }, index) => {
    const body = code.replaceAll(/^import (\{.*\}) from ('.*');$/gm, 'const $1 = await import($2);');
    return `await (async () => { const lines = []; const console = { log: (...values) => lines.push(format(...values)) };\n${body}\nreport(${String(index)}, lines); })();`;
  });
  return `import { format } from 'node:util';\nconst report = (index, lines) => process.stdout.write(JSON.stringify([index, lines]) + '\\n');\n${bodies.join('\n')}`;
}

async function run(examples: readonly Example[]): Promise<readonly (readonly string[])[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', toProgram(examples)], { cwd: CLI });
  return stdout.trimEnd().split('\n').map((line) => (JSON.parse(line) as [number, string[]])[1]);
}

describe('Examples in docstrings', () => {
  const examples = readdirSync(PACKAGES).flatMap((name) => sourcesOf(path.join(PACKAGES, name, 'src')).flatMap(examplesIn));

  it('are there for the 30 exports that are used most', () => {
    expect(examples.length).toBeGreaterThanOrEqual(30);
  });

  it('print what they say', async () => {
    const printed = await run(examples);
    expect(examples.map(({ place }, index) => [place, printed[index]])).toEqual(examples.map(({ place, printed: expected }) => [place, expected]));
  });
});
