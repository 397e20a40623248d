import { describePointer, DevsError, fromPointer, isRecord, type ConfigCheck, type ConfigProblem } from '@devs/core';
import { printableLine } from '../terminal/terminal.ts';
import { expandVariables, namesVariable, type Variables } from './expand.ts';
import { MAX_PROBLEMS, parseConfigText } from './parse-text.ts';

/** What turns bytes into a layer: the environment, and one compiled check. */
export interface LayerReader {
  readonly variables: Variables;
  readonly check: (input: unknown) => ConfigCheck;
}

/** What one file says. */
export interface LayerContent {
  /** As it stands in the file: what may be shown. */
  readonly written: Readonly<Record<string, unknown>>;
  /** With the variables put in: what is applied, and never shown. */
  readonly values: Readonly<Record<string, unknown>>;
}

export type LayerReading =
  | { readonly ok: true; readonly content: LayerContent }
  /** Whole lines, each with file, line and column. */
  | { readonly ok: false; readonly problems: readonly string[] };

export interface LayerFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Parses, expands and checks one file. Never throws, and never repeats a value from the environment. */
export async function readLayer({ path, bytes }: LayerFile, { variables, check }: LayerReader): Promise<LayerReading> {
  const say = (position: string, problem: string) => printableLine(`${path}:${position}: ${problem}`);
  const parsed = await parseConfigText(bytes);
  if (!parsed.ok) return { ok: false, problems: parsed.problems.map(({ position, problem }) => say(position, problem)) };
  const { value: written, positionOf } = parsed;
  const tell = (pointer: string, problem: string) => say(positionOf(pointer), `${describePointer(pointer)} ${problem}.`);
  const expansion = expandVariables(written, variables);
  if (expansion.problems.length > 0) {
    return { ok: false, problems: expansion.problems.slice(0, MAX_PROBLEMS).map(({ pointer, problem }) => tell(pointer, problem)) };
  }
  const checked = check(expansion.value);
  if (!checked.ok) {
    const problems = checked.problems.slice(0, MAX_PROBLEMS);
    return { ok: false, problems: problems.map((problem) => tell(problem.pointer, withoutSecrets(problem, written))) };
  }
  // Both are objects: the check said so of the one, and expansion keeps the structure.
  return { ok: true, content: { written: isRecord(written) ? written : {}, values: isRecord(expansion.value) ? expansion.value : {} } };
}

/** The same for a file that must be right. Throws `CONFIG_INVALID` with every problem. */
export async function requireLayer(file: LayerFile, reader: LayerReader): Promise<LayerContent> {
  const reading = await readLayer(file, reader);
  if (reading.ok) return reading.content;
  const { problems } = reading;
  const list = problems.map((line) => `\n  ${line}`).join('');
  const sentence = problems.length === 1 ? String(problems[0]) : `The configuration cannot be used:${list}`;
  throw new DevsError('CONFIG_INVALID', { sentence });
}

function withoutSecrets({ pointer, problem, rule }: ConfigProblem, written: unknown): string {
  const text = fromPointer(pointer).reduce<unknown>((value, name) => ownValue(value, name), written);
  return typeof text === 'string' && namesVariable(text) ? `is ${JSON.stringify(text)} with what the environment says, and ${rule}` : problem;
}

function ownValue(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
