import type { Part } from './look.ts';
import { isPlaceholder } from './passwords.ts';

/** What leads to a password among the arguments of a command: `-u`, `--user`, `-p`, `--password`. */
export const PASSWORD_OPTIONS = ['-u', '-p'];

const NAME = '[^\\s:"\'`$<>{}[\\]()|]{1,128}:';

/** `curl -u name:password`, `--user "name:password"`, and the arguments of a list of strings. */
const USER = new RegExp(
  `(?:(?<=[\\s"'\`]-)-user(?=[\\s="',])|(?<=[\\s"'\`])-u)(?:["',\\s=]{0,5}(?:"${NAME}([^"\\n]{1,256})"|'${NAME}([^'\\n]{1,256})')|[\\s=]{0,4}${NAME}([^\\s"'\`|]{1,256}))`,
  'y',
);

const BARE = '[^\\s"\'`$<>|;&[({-][^\\s"\'`|;&]{2,127}';

/** `mysql -pPassword`, `--password="Password"`: nothing stands between them. */
const PASSWORD = new RegExp(`(?:(?<=\\s)-p|(?<=\\s-)-password=)(?:"([^"\\n]{3,128})"|'([^'\\n]{3,128})'|(${BARE}))`, 'y');

/** Units before it in which the command is named. */
const LONGEST_COMMAND = 300;
/** Occurrences of the name that are tried, from the last one back: `curl https://curl.example -u …`. */
const MOST_NAMES = 3;

interface Command {
  readonly option: RegExp;
  /** What the names of its programs begin with. */
  readonly names: readonly string[];
  /** The same as a pattern: a search for a literal stops at each `m`, and a text may be full of them. */
  readonly named: RegExp;
  /** A name as a shell ends it. */
  readonly program: RegExp;
  /** Behind this, it is another command. */
  readonly over: RegExp;
}

const CURL: Command = { option: USER, names: ['curl'], named: /curl/, program: /^curl(?:\.exe)?["',]{0,3}\s/, over: /[;|]|[^\\^\r]\r?\n/ };
const MYSQL: Command = {
  option: PASSWORD,
  names: ['mysql', 'mariadb'],
  named: /mysql|mariadb/,
  program: /^(?:mysql(?:dump|admin|import|show|check|pump|sh)?|mariadb(?:-dump|-admin|-import)?)\s/,
  over: /[;|&]|[^\\^\r]\r?\n/,
};

/** The password in the arguments of a command, where its option stands. */
export function passwordInCommand(text: string, at: number): Part | undefined {
  const command = text.startsWith('-u', at) ? CURL : MYSQL;
  const before = text.slice(Math.max(0, at - LONGEST_COMMAND), at);
  if (!command.named.test(before)) return undefined;
  command.option.lastIndex = at;
  const [option, ...groups] = command.option.exec(text) ?? [];
  const password = groups.find((group) => group !== undefined);
  if (option === undefined || password === undefined) return undefined;
  if (isPlaceholder(password) || NO_PASSWORD.test(password) || !isOf(command, before)) return undefined;
  const start = at + option.lastIndexOf(password);
  return { start, end: start + password.length };
}

/** True of the arguments of the command. What stands before a mark was out of reach of the first look. */
function isOf({ names, program, over }: Command, before: string): boolean {
  for (const name of names) {
    let at = before.lastIndexOf(name);
    for (let count = 0; at !== -1 && count < MOST_NAMES; count += 1) {
      const command = before.slice(at);
      // Where another command begins behind this name, it does so behind each name before it too.
      if (!/[A-Za-z0-9_.@:-]/.test(before.charAt(at - 1)) && program.test(command)) return !over.test(command) && !command.includes('[REDACTED:');
      at = at === 0 ? -1 : before.lastIndexOf(name, at - 1);
    }
  }
  return false;
}

/** What a shell or a reader fills in, a mark, the two ports of a container, and what documentation says most. */
const NO_PASSWORD = /^(?:[$<%{]|\[REDACTED:|\d{1,5}:\d|(?:user|my|your)?[_-]?(?:pass|passwd|password|token|secret|api[_-]?key)\d{0,4}\b)|\[REDACTED:/i;
