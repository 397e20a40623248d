// usage: node composed.mjs <module>...
// Loads the modules as they stand in the sources, and writes each pattern that `new RegExp` makes meanwhile, with its place.
import { registerHooks } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inRepository, repository } from '../../lib/repository.mjs';

registerHooks({
  resolve(specifier, context, next) {
    const [, name] = /^@devs\/([a-z]+)$/.exec(specifier) ?? [];
    return name === undefined ? next(specifier, context) : { url: pathToFileURL(inRepository('packages', name, 'src', 'index.ts')).href, shortCircuit: true };
  },
});

/** Where the constructor was called: the first frame that is not of this file. */
function placeOfCall() {
  const frame = new Error('where').stack.split('\n').slice(1).find((line) => !line.includes(import.meta.url));
  const [, url, line] = /(file:\/\/[^)\s]+):(\d+):\d+/.exec(frame ?? '') ?? [];
  return url === undefined ? undefined : { file: path.relative(repository, fileURLToPath(url)), line: Number(line) };
}

/** @returns what is made from now on */
function watchConstructor() {
  const seen = [];
  globalThis.RegExp = new Proxy(RegExp, {
    construct(target, given, newTarget) {
      const pattern = Reflect.construct(target, given, newTarget);
      const place = placeOfCall();
      if (place?.file.startsWith('packages/')) seen.push({ ...place, source: pattern.source, flags: pattern.flags });
      return pattern;
    },
  });
  return seen;
}

const made = watchConstructor();
const load = (module) => import(pathToFileURL(inRepository(...module.split('/'))).href);
for (const module of process.argv.slice(2)) await load(module);

// What is made of the tables when something is built of them, and not when the module is loaded.
const { createSecretDetector } = await load('packages/core/src/sanitization/secrets/secret-detector.ts');
const { DEFAULT_TRIGGERS, triggers } = await load('packages/core/src/sanitization/steps/triggers.ts');
createSecretDetector({ enabled: true, allowed: [], injected: [], fingerprintKey: Buffer.alloc(32) });
triggers(DEFAULT_TRIGGERS);

process.stdout.write(JSON.stringify(made));
