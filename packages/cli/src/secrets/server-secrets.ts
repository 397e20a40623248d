import type { DevsCoreConfig } from '@devs/core';
import { looksRandom } from './looks.ts';
import { claimOf } from './names.ts';
import { secretsIn } from './values.ts';

/** What a server is handed: the members of its entry that can hold a secret. */
export type Handed = Pick<DevsCoreConfig['mcpServers'][string], 'env' | 'headers' | 'args' | 'url'>;

/** What servers are handed to prove who they are: it must come back in no output, from whichever tool. */
export function secretsOf(servers: readonly Handed[]): readonly string[] {
  const found = servers.flatMap(({ env = {}, headers = {}, args = [], url = '' }) => [
    ...[...Object.entries(env), ...Object.entries(headers)].flatMap(([name, value]) => secretsIn(name, value)),
    ...args.flatMap((_, index) => {
      const { name, value } = readArgument(args, index);
      return secretsIn(name, value);
    }),
    ...secretsIn('', url),
  ]);
  return [...new Set(found)];
}

/** The arguments with a mark in the place of what they hand over as a secret. */
export function hideSecrets(args: readonly unknown[], mark: string): readonly unknown[] {
  return args.map((argument, index) => {
    const { shown, name, value } = readArgument(args, index);
    const isSecret = value !== '' && (claimOf(name) !== 'none' || secretsIn(name, value).length > 0);
    return isSecret ? `${shown}${mark}` : argument;
  });
}

/** What an argument hands over, under which name, and what stands before that in it. */
interface Argument {
  readonly shown: string;
  readonly name: string;
  readonly value: string;
}

const NOTHING: Argument = { shown: '', name: '', value: '' };

/** `--token x`, `--api-key=x`, `--header "Authorization: Bearer x"`, `-e API_KEY=x`, `API_KEY=x`. */
function readArgument(args: readonly unknown[], index: number): Argument {
  const argument = args[index];
  if (typeof argument !== 'string') return NOTHING;
  const [, shown = '', flag, text = ''] = /^((--?[A-Za-z][^\s=]*)=)(.*)$/s.exec(argument) ?? [];
  if (flag !== undefined) return readMember({ shown, name: flag, value: text });
  const before = args[index - 1];
  const name = typeof before === 'string' && isFlag(before) ? before : '';
  // A token may begin as a flag does; behind a flag that asks for one it is none.
  if (isFlag(argument) && !looksRandom(argument)) return NOTHING;
  return readMember({ shown: '', name, value: argument });
}

/** What a flag of no secret hands over may have a name of its own: that of a variable or a header. */
function readMember(argument: Argument): Argument {
  if (claimOf(argument.name) !== 'none') return argument;
  const [, shown, name = '', value = ''] = /^(([A-Za-z_][\w.-]*)(?:=|:(?!\/\/)\s*))(.*)/s.exec(argument.value) ?? [];
  return shown === undefined ? argument : { shown: argument.shown + shown, name, value };
}

function isFlag(text: string): boolean {
  return /^--?[A-Za-z][^\s=]*$/.test(text);
}
