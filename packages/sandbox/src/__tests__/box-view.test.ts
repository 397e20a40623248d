import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { boxView } from '../box-view.ts';
import { patternsWithout, ProtectedPatterns } from '../files/protected-patterns.ts';
import { Protection } from '../files/protection.ts';
import { BlockedPlaces } from '../files/real-places.ts';

const protection = new Protection({ patterns: new ProtectedPatterns(patternsWithout([])), folders: [] });
let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'devs-view-')));
  for (const folder of ['root/src/deep/keys', 'root/secrets', 'root/.git', 'root/docs', 'root/.github/hooks', 'root/.github/keys', 'root/sub/.yarn/releases', 'root/state', 'outside']) mkdirSync(path.join(base, folder), { recursive: true });
  for (const file of ['.env', 'src/deep/keys/one']) writeFileSync(path.join(base, 'root', file), 'KEY=1');
  symlinkSync('secrets', path.join(base, 'root/link'));
  symlinkSync('../outside', path.join(base, 'root/out'));
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

interface Rules {
  readonly allowed?: readonly string[];
  readonly blocked?: readonly string[];
  readonly closed?: readonly string[];
  readonly readOnly?: readonly string[];
}

/** `access path`, the path below the root; `.` is the root. */
function view({ allowed = [], blocked = [], closed = [], readOnly = [] }: Rules): readonly string[] {
  const root = path.join(base, 'root');
  const below = (place: string) => path.join(root, place);
  const mounts = boxView({ root, rules: { allowed, blocked }, closed: closed.map(below), readOnly: readOnly.map(below), protection });
  return mounts.map(({ source, access }) => `${access} ${path.relative(root, source) || '.'}`);
}

it.each<[string, Rules, readonly string[]]>([
  ['all of the project, by default', {}, ['write .']],
  ['what must stay as it is, read-only over that', { readOnly: ['.git'] }, ['write .', 'read .git']],
  ['nothing where something is blocked', { blocked: ['secrets', '.env'] }, ['write .', 'hidden secrets', 'hidden .env']],
  ['each folder on the way to it as a mount, which cannot be renamed', { blocked: ['src/deep/keys/one'] }, ['write .', 'write src', 'write src/deep', 'write src/deep/keys', 'hidden src/deep/keys/one']],
  ['a folder that is part of a protected name as a mount, and no other around it', { readOnly: ['.github/hooks', 'sub/.yarn/releases', 'docs/.npmrc'] }, ['write .', 'write .github', 'write sub/.yarn', 'read .github/hooks', 'read sub/.yarn/releases', 'read docs/.npmrc']],
  ['each such folder once', { blocked: ['.github/keys'], readOnly: ['.github/hooks'] }, ['write .', 'write .github', 'read .github/hooks', 'hidden .github/keys']],
  ['the same within what is allowed', { allowed: ['src'], blocked: ['src/deep/keys'] }, ['write src', 'write src/deep', 'hidden src/deep/keys']],
  ['nothing in a spelling that a file system may take for the same', { blocked: ['SECRETS'] }, ['write .', 'hidden secrets']],
  ['nothing where a blocked link leads', { blocked: ['link'] }, ['write .', 'hidden secrets']],
  ['nothing for what is not there, or lies elsewhere', { blocked: ['gone', 'out', '/etc/passwd'] }, ['write .']],
  ['only what is allowed', { allowed: ['src', 'docs'] }, ['write src', 'write docs']],
  ['nothing of what is allowed and lies elsewhere', { allowed: ['out', '../outside', '/etc'] }, []],
  ['nothing blocked right within what is allowed', { allowed: ['src'], blocked: ['src/deep', 'secrets'] }, ['write src', 'hidden src/deep']],
  ['no read-only mount of what is not shown', { allowed: ['src'], readOnly: ['.git'] }, ['write src']],
  ['no read-only mount over what is hidden', { blocked: ['.git'], readOnly: ['.git'] }, ['write .', 'hidden .git']],
  ['nothing of devs’s own', { closed: ['state'] }, ['write .', 'hidden state']],
  ['nothing of what is allowed within something blocked', { allowed: ['src/deep/keys', 'docs'], blocked: ['src/deep'] }, ['write docs']],
  ['nothing of what is allowed within a folder of devs’s own', { allowed: ['src/deep/keys', 'docs'], closed: ['src/deep'] }, ['write docs']],
  ['what is allowed within something protected, read-only', { allowed: ['.github/hooks', 'docs'], readOnly: ['.github'] }, ['write .github/hooks', 'write docs', 'read .github/hooks']],
  ['no writable folder on the way to what is hidden in something protected', { blocked: ['src/deep/keys/one'], readOnly: ['src/deep'] }, ['write .', 'write src', 'read src/deep', 'hidden src/deep/keys/one']],
  ['one mount for what lies in another', { allowed: ['src', 'src/deep'], blocked: [] }, ['write src']],
])('a box shows %s', (_, rules, expected) => {
  expect(view(rules)).toEqual(expected);
});

it('shows nothing where a blocked link has led, when a command has taken the link away', () => {
  const root = path.join(base, 'root');
  const places = new BlockedPlaces(root);
  const hidden = () => boxView({ root, rules: { allowed: [], blocked: ['link'] }, closed: [], readOnly: [], protection, places }).filter(({ access }) => access === 'hidden').map(({ source }) => path.basename(source));
  expect(hidden()).toEqual(['secrets']);
  unlinkSync(path.join(root, 'link'));
  expect(hidden()).toEqual(['secrets']);
  symlinkSync('docs', path.join(root, 'link'));
  expect(hidden().toSorted()).toEqual(['docs', 'secrets']);
  rmSync(path.join(root, 'secrets'), { recursive: true });
  expect(hidden()).toEqual(['docs']);
});
