import { createConfigCheck, type DevsCoreConfig } from '../schema.ts';

/** Compiled once: that takes longer than all that is checked here. */
const check = createConfigCheck();

/** As `parseConfig`, for tests of many configurations. */
export function parseOften(input: unknown): DevsCoreConfig {
  const checked = check(input);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return checked.config;
}
