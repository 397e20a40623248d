import { type CommitPlan, DevsError, quoteName, type ToolHandler, type ToolOfKind, type ValidatedArgs } from '@devs/core';
import { stringArgument } from '../arguments.ts';
import { effectNotices } from '../effect-notices.ts';
import { filePath } from '../path-argument.ts';

const MAX_MESSAGE = 10_000;
const MAX_PATHS = 1_000;
/** Of the object's name, as git shows it. */
const SHORT = 12;

/** Answers where the commit went and under what name, and what it changes. */
const gitCommit: ToolHandler<'repository'> = async (args, { repository }) => {
  const { commit, branch, summary, ...effects } = await repository.commit(toPlan(args));
  const place = branch === undefined ? 'on no branch (detached head)' : `on ${quoteName(branch)}`;
  const text = `Committed ${commit.slice(0, SHORT)} ${place}.\n\n${summary}`;
  return { content: [{ type: 'text', text }, ...effectNotices(effects)] };
};

function toPlan(args: ValidatedArgs): CommitPlan {
  const message = stringArgument(args, 'message');
  // It would become U+FFFD in the commit, and the agent would be told that its text was committed.
  if (!message.isWellFormed()) throw new DevsError('CONTENT_REFUSED');
  const { paths } = args;
  if (paths === undefined) return { message };
  if (!Array.isArray(paths)) throw new DevsError('TOOL_ARG_VALIDATION_FAILURE');
  return { message, paths: paths.map(String) };
}

export const gitCommitTool: ToolOfKind<'repository'> = {
  definition: {
    name: 'git_commit',
    title: 'Commit to git',
    description:
      "Commits to the project's git repository, on the branch that is checked out. With paths: those alone, new files too. " +
      'Without: all changes of tracked files, and what is staged. Hooks of the project run, without a network, and may ' +
      'refuse. It does not push, amend, merge or switch branches.',
    inputSchema: {
      type: 'object',
      properties: {
        message: {
          type: 'string',
          minLength: 1,
          maxLength: MAX_MESSAGE,
          // For git it ends the text.
          pattern: '^[^\\u0000]*$',
          description: 'The message: a short first line, an empty one, then the reasons.',
        },
        paths: {
          type: 'array',
          items: { ...filePath, description: 'A file or folder: relative to the project folder, or absolute inside it. No pattern.' },
          minItems: 1,
          maxItems: MAX_PATHS,
          description: 'What to commit: files and folders, also such as are new or gone.',
        },
      },
      required: ['message'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  },
  kind: 'repository',
  handler: gitCommit,
  effects: true,
  labels: [],
  source: 'built-in',
};
