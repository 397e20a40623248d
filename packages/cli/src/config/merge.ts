import { DEFAULT_CONFIG, isRecord } from '@devs/core';

type Values = Readonly<Record<string, unknown>>;

/** Lists that only ever grow, so that no later file opens what an earlier one closed. */
const GROWING: ReadonlySet<string> = new Set(['protected', 'blocked']);

/**
 * One layer over another, key by key; the later wins and a list takes the place of a list. Two exceptions:
 * `protected` and `blocked` of `files` only ever grow; and a server is one value, because half of one and
 * half of another (their headers, my URL) is nobody's server.
 */
export function mergeLayers(below: Values, above: Values): Values {
  return mergeKeys(below, above, (name, one, other) => mergeSection(name, one, other));
}

/** A project's file over the others: it may say of more folders that they are untrusted, and of none that it is not. */
export function mergeProject(below: Values, above: Values): Values {
  const [labels, own] = [below['labels'], above['labels']];
  if (!isRecord(own) || own['untrustedPaths'] === undefined) return mergeLayers(below, above);
  const before = (isRecord(labels) ? labels['untrustedPaths'] : undefined) ?? DEFAULT_CONFIG.labels.untrustedPaths;
  return mergeLayers(below, { ...above, labels: { ...own, untrustedPaths: union(before, own['untrustedPaths']) } });
}

function mergeSection(name: string, below: unknown, above: unknown): unknown {
  if (!isRecord(below) || !isRecord(above)) return above;
  if (name === 'mcpServers') return mergeServers(below, above);
  if (name === 'files') return mergeFiles(below, above);
  // By tool, then as the sections of the whole file.
  if (name === 'tools') return mergeKeys(below, above, (_, one, other) => (isRecord(one) && isRecord(other) ? mergeLayers(one, other) : other));
  // A section within a section (`audit.heads`) is merged by its keys too.
  return mergeKeys(below, above, (_, one, other) => (isRecord(one) && isRecord(other) ? { ...one, ...other } : other));
}

/**
 * A server is one value, as said above. One that takes the place of another stands behind those that are left, with its file: a
 * namespace belongs to who stands first with it, and a project would get that of your second server by replacing the first.
 */
function mergeServers(below: Values, above: Values): Values {
  const left = Object.entries(below).filter(([name]) => !Object.hasOwn(above, name));
  return { ...Object.fromEntries(left), ...above };
}

function mergeFiles(below: Values, above: Values): Values {
  return mergeKeys(below, above, (key, one, other) => (GROWING.has(key) ? union(one, other) : other));
}

/** What only one of them says is as it says. By own keys: a tool may be called `toString`. */
function mergeKeys(below: Values, above: Values, merge: (name: string, below: unknown, above: unknown) => unknown): Values {
  const says = (values: Values, name: string) => Object.hasOwn(values, name) && values[name] !== undefined;
  return Object.fromEntries(
    [...new Set([...Object.keys(below), ...Object.keys(above)])].map((name) => {
      if (!says(above, name)) return [name, below[name]];
      return [name, says(below, name) ? merge(name, below[name], above[name]) : above[name]];
    }),
  );
}

function union(below: unknown, above: unknown): readonly unknown[] {
  return [...new Set([...toList(below), ...toList(above)])];
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
