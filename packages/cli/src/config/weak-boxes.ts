import { DEFAULT_CONFIG, DevsError, isRecord } from '@devs/core';
import type { Layer } from './loaded-config.ts';

/** From none to all. */
const MODES: readonly unknown[] = ['none', 'prefer', 'require'];

/**
 * A project is what a sandbox is there to hold: it cannot take it away, whoever has trusted its file. Nor, for servers, be
 * content with less than the operator. @throws DevsError CONFIG_INVALID
 */
export function refuseWeakBoxes(layers: readonly Layer[]): void {
  const modes = layers.flatMap(({ role, values }) => (role === 'project' ? [] : [sectionOf(values, 'sandbox')['upstreams']]));
  const operators = modes.findLast((mode) => mode !== undefined) ?? DEFAULT_CONFIG.sandbox.upstreams;
  for (const { role, path, values } of layers) {
    if (role !== 'project') continue;
    const { tools, upstreams } = sectionOf(values, 'sandbox');
    if (tools === 'off') throw refusal(path, '"sandbox": {"tools": "off"}, which counts in your own file alone');
    // By a protected file a tool runs what it likes outside of every box.
    if (sectionOf(values, 'files')['writable'] !== undefined) throw refusal(path, '"files": {"writable": …}, which counts in your own file alone');
    const said = `where your own file says ${JSON.stringify(operators)}`;
    if (isWeaker(upstreams, operators)) throw refusal(path, `"sandbox": {"upstreams": ${JSON.stringify(upstreams)}}, ${said}`);
    for (const [name, server] of Object.entries(sectionOf(values, 'mcpServers'))) {
      const { mode } = sectionOf(isRecord(server) ? server : {}, 'sandbox');
      if (isWeaker(mode, operators)) throw refusal(path, `"sandbox": {"mode": ${JSON.stringify(mode)}} of the server ${JSON.stringify(name)}, ${said}`);
    }
  }
}

function isWeaker(mode: unknown, operators: unknown): boolean {
  return mode !== undefined && MODES.indexOf(mode) < MODES.indexOf(operators);
}

function refusal(path: string, what: string): DevsError {
  return new DevsError('CONFIG_INVALID', { sentence: `${JSON.stringify(path)} says ${what}. Take it out, or say it in a file outside of the project.` });
}

function sectionOf(values: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  const section = Object.hasOwn(values, name) ? values[name] : undefined;
  return isRecord(section) ? section : {};
}
