import type { Identity } from './commit-parts.ts';
import { commitRefused } from './commit-refused.ts';

export interface CommitWords {
  /** `Name <mail> seconds zone`. */
  readonly committer: string;
  readonly subject: string;
}

/**
 * A hook may have made another commit than the one that was asked for: on top of another, in another's name.
 * @param text the commit object
 * @throws DevsError COMMIT_REFUSED
 */
export function judgeCommit(text: string, { tip, identity }: { readonly tip: string | undefined; readonly identity: Identity }): CommitWords {
  const end = text.indexOf('\n\n');
  const lines = text.slice(0, end === -1 ? text.length : end).split('\n');
  const valuesOf = (key: string) => lines.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));
  if (valuesOf('parent').join(' ') !== (tip ?? '')) throw commitRefused('a hook has made another commit than one on top of the last.');
  const [author = '', committer = ''] = [...valuesOf('author'), ...valuesOf('committer')];
  if (![author, committer].every((who) => isOf(who, identity))) throw commitRefused('a hook has committed in another name.');
  return { committer, subject: text.slice(end + 2).split('\n', 1)[0] ?? '' };
}

function isOf(who: string, { name, email }: Identity): boolean {
  return /^[0-9]+ [+-][0-9]{4}$/.test(who.slice(`${name} <${email}> `.length)) && who.startsWith(`${name} <${email}> `);
}
