import { isRecord } from '@devs/core';
import { looksRandom } from './looks.ts';

export type Member = readonly [name: string, value: string];

/** Names and their values within a value: of JSON, of headers, and `name=value` as addresses, cookies and databases write it. */
export function membersOf(value: string): readonly Member[] {
  const json = readJson(value);
  if (json !== undefined) return membersOfJson(json);
  const headers = value.split(/[\r\n]+/).flatMap((line) => toMember(/^\s*([A-Za-z][\w-]*):(?!\/\/)\s*(\S.*)$/.exec(line)));
  return [...headers, ...[/;\s*/, /[&?]/, /[\s,]+/].flatMap((separator) => value.split(separator).flatMap(toPair))];
}

function toPair(text: string): readonly Member[] {
  return toMember(/^["']?([\w.:-]{1,128})=(.+)$/s.exec(text));
}

function toMember(match: RegExpExecArray | null): readonly Member[] {
  const [, name, value = ''] = match ?? [];
  return name === undefined ? [] : [[name, value.replace(/^["']|["']$/g, '')]];
}

/** Without recursion: however deep it is. The texts of a list stand under its name. */
function membersOfJson(json: unknown): readonly Member[] {
  const members: Member[] = [];
  const left: (readonly [name: string, value: unknown])[] = [['', json]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [name, value] = next;
    if (typeof value === 'string') members.push([name, value]);
    else if (Array.isArray(value)) for (const item of value) left.push([name, item]);
    else if (isRecord(value)) for (const member of Object.entries(value)) left.push(member);
  }
  return members;
}

export function readJson(value: string): unknown {
  if (!/^\s*[[{]/.test(value)) return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** A cookie has any name: what is random is held to be a secret, and all of a session. Its attributes are none. */
export function cookiesOf(value: string): readonly Member[] {
  return value.split(/;\s*/).flatMap(toPair).flatMap(([name, text]): readonly Member[] => {
    if (/^(?:domain|expires|max-age|path|samesite|version)$/i.test(name)) return [];
    return /sess|sid|auth|token|[cx]srf/i.test(name) || looksRandom(text) ? [['secret', text]] : [];
  });
}
