// Runs one of the sources by itself: some tests need a devs of its own process, to be killed or started badly.
// usage: node -C devs-source run-source.mjs <file.ts> <its arguments>
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { argv } from 'node:process';
import { transformSync } from '@swc/core';

const options = {
  jsc: { parser: { syntax: 'typescript', decorators: true }, transform: { legacyDecorator: true, decoratorMetadata: true }, target: 'es2022' },
  module: { type: 'commonjs' },
  swcrc: false,
};

const load = createRequire(import.meta.url);
load.extensions['.ts'] = (module, filename) => {
  module._compile(transformSync(readFileSync(filename, 'utf8'), { ...options, filename }).code, filename);
};

const [file] = argv.splice(2, 1);
load(path.resolve(file));
