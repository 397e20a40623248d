import { isRecord } from '@devs/core';

type Values = Readonly<Record<string, unknown>>;

/**
 * One layer over another, key by key; the later wins and a list takes the place of a list. Two exceptions:
 * `files.protected` only ever grows, so that no later file opens what an earlier one closed; and a server
 * is one value, because half of one and half of another (their headers, my URL) is nobody's server.
 */
export function mergeLayers(below: Values, above: Values): Values {
  return Object.fromEntries(
    [...new Set([...Object.keys(below), ...Object.keys(above)])].map((name) => [name, mergeSection(name, below[name], above[name])]),
  );
}

function mergeSection(name: string, below: unknown, above: unknown): unknown {
  if (above === undefined) return below;
  if (!isRecord(below) || !isRecord(above)) return above;
  const merged = { ...below, ...above };
  return name === 'files' ? { ...merged, protected: union(below['protected'], above['protected']) } : merged;
}

function union(below: unknown, above: unknown): readonly unknown[] {
  return [...new Set([...toList(below), ...toList(above)])];
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
