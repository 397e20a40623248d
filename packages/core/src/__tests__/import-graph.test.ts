import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const sources = path.resolve(process.cwd(), 'src');

/** Modules that a file loads when it runs: `import type` and `export type` load none. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)';/gm);
  return [...found].map(([, module = '']) => module);
}

interface Graph {
  readonly files: string[];
  readonly packages: string[];
}

/** All that loading one entry loads. */
function graphOf(entry: string): Graph {
  const files = new Set<string>();
  const packages = new Set<string>();
  const queue = [path.join(sources, entry)];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    for (const module of importsOf(file)) {
      if (module.startsWith('.')) queue.push(path.resolve(path.dirname(file), module));
      else packages.add(module);
    }
  }
  return { files: [...files].map((file) => path.relative(sources, file)), packages: [...packages].sort() };
}

describe('what an embedder loads', () => {
  it('the root entry patches no Reflect: neither reflect-metadata nor tsyringe is behind it', () => {
    const { files, packages } = graphOf('index.ts');
    expect(files).toEqual(expect.arrayContaining([path.join('tool-proxy', 'ToolProxy.ts'), path.join('protocol', 'decode.ts')]));
    expect(files).not.toContain('container.ts');
    const schemas = ['@eslint-community/regexpp', 'ajv-formats/dist/formats.js', 'ajv/dist/2020.js'];
    expect(packages).toEqual([...schemas, 'entities/decode', 'node:buffer', 'node:crypto', 'node:fs', 'node:fs/promises', 'node:module', 'node:path', 'node:process', 'node:util', 'parse5', 'pino']);
  });

  it('the container loads reflect-metadata, before all else', () => {
    expect(importsOf(path.join(sources, 'container.ts'))[0]).toBe('reflect-metadata');
    expect(readFileSync(path.join(sources, 'container.ts'), 'utf8').split('\n')[0]).toBe("import 'reflect-metadata';");
    expect(graphOf('container.ts').packages).toEqual(expect.arrayContaining(['reflect-metadata', 'tsyringe']));
  });

  it('nothing is loaded on the way but by an import that stands at the top, and the schemas of dialects', () => {
    const { files } = graphOf('index.ts');
    const textOf = (file: string) => readFileSync(path.join(sources, file), 'utf8');
    for (const file of files) expect(textOf(file)).not.toMatch(/\bimport\(|\brequire\(|^\s*await\b.*\bimport\b/m);
    expect(files.filter((file) => textOf(file).includes('createRequire'))).toEqual([path.join('validation', 'json-schema', 'meta-schemas.ts')]);
  });

  it('the sanitizer knows neither server nor archive: it loads what it needs to decode, and no more', () => {
    const { files } = graphOf(path.join('protocol', 'output-sanitizer.ts'));
    expect(files.map((file) => file.split(path.sep).join('/')).sort()).toEqual([
      'error-codes.ts', 'errors.ts', 'json.ts', 'logging/structured-logger.ts', 'protocol/decode.ts', 'protocol/output-sanitizer.ts', 'protocol/text.ts',
      'protocol/unit-kinds.ts',
    ]);
  });

  it('the gate depends on interfaces: no sandbox, no store', () => {
    const { packages } = graphOf(path.join('tool-proxy', 'ToolProxy.ts'));
    expect(packages.filter((name) => name.startsWith('@devs/'))).toEqual([]);
  });
});
