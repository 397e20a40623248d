import path from 'node:path';
import type { McpServerConfig } from '@devs/core';
import { isWithin } from './project.ts';
import { findNamedPlaces, folderOf, type FilePlace } from './server-places.ts';

const SHELL = /^(?:sh|bash|dash|ash|zsh|ksh|mksh|fish|busybox|pwsh|powershell|cmd)$/;
const INTERPRETER = /^(?:node|nodejs|bun|deno|tsx|ts-node|ts-node-esm|(?:python|pypy|ruby|perl|php|lua)[\d.]*|luajit|Rscript|julia|osascript|java)$/;
/** They take what they run from files of the folder they run in, which no argument names: `node_modules/.bin`, `Makefile`, `pyproject.toml`. */
const RUNNER = new RegExp(
  `^(?:${[
    'npx npm pnpm pnpx yarn yarnpkg bun bunx deno corepack uv uvx pip pipx poetry pdm hatch rye pixi tox nox rake bundle gem composer cargo go',
    'make gmake cmake ninja just task mise rtx direnv nix nix-shell devbox gradle gradlew mvn mvnw ant sbt bazel dotnet turbo nx lerna',
    'docker docker-compose podman podman-compose foreman overmind procfile honcho git env-cmd dotenv dotenvx',
  ].join(' ').replaceAll(' ', '|')})$`,
);
/** A text that is run, or a module that is looked for: `-c`, `-lc`, `-e`, `-mserver`, `--eval=…`, `--run`. */
const RUNS_TEXT = /^(-[A-Za-z]*?[cemEpr]|--(?:eval|print|command|run)(?==|$))/;
const SCRIPT = /^[^-].*\.(?:[cm]?[jt]sx?|py|rb|pl|php|lua|sh)$/;
const BETWEEN_WORDS = /\s+/;

/**
 * What makes it unknown what a server runs in the project, to stand in brackets behind its name; undefined when nothing
 * does. Hashes are no answer to these: an agent puts a file where the program will look, and no word names it.
 */
export function describeUnknownRun(server: McpServerConfig, place: FilePlace): string | undefined {
  const { isRootNamed, isWhole } = findNamedPlaces(server, place);
  if (server.command === undefined || (isWhole && !isRootNamed && !isWithin(folderOf(server, place.root), place.root))) return undefined;
  // As they are, and as `env -S` parts them; `--import=./a b.mjs` is one word.
  const found = [argumentsOf(server), wordsOf(server)].flatMap(findUnknown);
  return found[0] ?? (isRootNamed ? 'it is given the whole project' : undefined);
}

function findUnknown(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    const name = path.basename(word);
    const flag = SHELL.test(name) || INTERPRETER.test(name) ? flagsBehind(words, index).find((each) => RUNS_TEXT.test(each)) : undefined;
    // Nothing behind the flag itself: the environment may have put it there.
    if (flag !== undefined) return [`${name} ${RUNS_TEXT.exec(flag)?.[1] ?? ''}`];
    return RUNNER.test(name) ? [name] : [];
  });
}

/** Whether a program of the command takes a folder for what it is to run. */
export function runsFolders(server: McpServerConfig): boolean {
  return wordsOf(server).some((word) => INTERPRETER.test(path.basename(word)));
}

/** Each server of a file of which it is not known what it runs, with the reason; none that must run in a box. */
export function listUnknownRuns(servers: readonly (readonly [string, McpServerConfig])[], place: FilePlace, mode: string): readonly string[] {
  return servers.flatMap(([name, server]) => {
    const reason = (server.sandbox?.mode ?? mode) === 'require' ? undefined : describeUnknownRun(server, place);
    return reason === undefined ? [] : [`${name} (${reason})`];
  });
}

/** What follows the script is the script's own (`server.py -c conf`), unless that is itself what a flag is given (`-r ./hook.js -e …`). */
function flagsBehind(words: readonly string[], index: number): readonly string[] {
  const rest = words.slice(index + 1);
  const script = rest.findIndex((word, place) => SCRIPT.test(word) && !/^-[^=]*$/.test(rest[place - 1] ?? ''));
  return script === -1 ? rest : rest.slice(0, script);
}

function wordsOf(server: McpServerConfig): readonly string[] {
  return argumentsOf(server).flatMap((text) => text.split(BETWEEN_WORDS));
}

function argumentsOf({ command = '', args = [] }: McpServerConfig): readonly string[] {
  return [command, ...args];
}
