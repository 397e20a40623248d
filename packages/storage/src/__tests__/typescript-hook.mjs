// Lets a child process of a test run our TypeScript as jest does, decorators and all, without a build.
import fs from 'node:fs';
import { registerHooks } from 'node:module';
import { transformSync } from '@swc/core';

const jsc = { parser: { syntax: 'typescript', decorators: true }, transform: { legacyDecorator: true }, target: 'es2023' };

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
    const { code } = transformSync(fs.readFileSync(new URL(url), 'utf8'), { jsc, module: { type: 'es6' }, swcrc: false });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
