import { readFileSync, realpathSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

/** What a guest is made of. Paths are absolute and real. */
export interface GuestFiles {
  /** What its Node runs. */
  readonly script: string;
  /** The engine. */
  readonly wasm: string;
  /** Text of what the engine runs first. */
  readonly prelude: string;
}

/** From source, too, Node runs the script as it is; the engine knows no types. */
export function findGuestFiles(): GuestFiles {
  const require = createRequire(import.meta.url);
  const isSource = import.meta.url.endsWith('.ts');
  const place = (name: string) => realpathSync(fileURLToPath(new URL(`./${name}.${isSource ? 'cts' : 'cjs'}`, import.meta.url)));
  const prelude = readFileSync(place('prelude'), 'utf8');
  return {
    script: place('guest'),
    wasm: realpathSync(require.resolve('quickjs-wasi/quickjs.wasm')),
    prelude: isSource ? stripTypeScriptTypes(prelude) : prelude,
  };
}
