import { readFileSync } from 'node:fs';
import { isRecord } from '@devs/core';

const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** As this package is published. */
export const VERSION = isRecord(manifest) && typeof manifest['version'] === 'string' ? manifest['version'] : '0.0.0';
