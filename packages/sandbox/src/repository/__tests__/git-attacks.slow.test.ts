import { describe, expect, test } from '@jest/globals';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { GitScene } from './git-scene.ts';

interface Attack {
  readonly name: string;
  /** Given the payload's path; run in a box by `sh -e`, except that each line may fail where the guard is there. */
  readonly script: (payload: string) => string;
  /** What the user does afterwards, none the wiser. */
  readonly user: (scene: GitScene) => void;
  readonly setUp?: (scene: GitScene) => void;
}

const status = (scene: GitScene) => scene.git('status');
const statusIn = (folder: string) => (scene: GitScene) => scene.gitIn(scene.at(folder), 'status');

/** A repository of the agent's making in `$1`, whose configuration names the payload. */
const EVIL = (folder: string, payload: string) =>
  `git init -q '${folder}' && git -C '${folder}' -c user.name=x -c user.email=x@x commit -q --allow-empty -m x && git -C '${folder}' config core.fsmonitor '${payload}'`;

/** A bare layout that names the project as its work tree, so that `git status` works in it. */
const BARE = (folder: string, payload: string) =>
  `git init -q --bare '${folder}' && git --git-dir='${folder}' config core.bare false && git --git-dir='${folder}' config core.worktree "$PWD" && git --git-dir='${folder}' config core.fsmonitor '${payload}'`;

const ATTACKS: readonly Attack[] = [
  {
    name: 'a hook',
    script: (payload) => `cp '${payload}' .git/hooks/pre-commit`,
    user: (scene) => scene.git('commit', '--allow-empty', '-m', 'x'),
  },
  { name: 'core.fsmonitor', script: (payload) => `git config core.fsmonitor '${payload}'`, user: status },
  {
    name: 'core.hooksPath',
    script: (payload) => `mkdir h; cp '${payload}' h/pre-commit; git config core.hooksPath h`,
    user: (scene) => scene.git('commit', '--allow-empty', '-m', 'x'),
  },
  {
    name: 'a pager',
    script: (payload) => `git config core.pager '${payload}'`,
    user: (scene) => scene.git('--paginate', '-c', 'color.ui=never', 'grep', '-O', 'one'),
  },
  { name: 'an external diff', script: (payload) => `git config diff.external '${payload}'; echo more >> a.txt`, user: (scene) => scene.git('diff') },
  {
    name: 'a filter that .gitattributes asks for',
    script: (payload) => `git config filter.x.clean '${payload}'; echo '*.txt filter=x' > .gitattributes; echo two > a.txt`,
    user: (scene) => scene.git('diff'),
  },
  {
    name: 'core.sshCommand',
    script: (payload) => `git config core.sshCommand '${payload}'; git config remote.origin.url ssh://host.invalid/x`,
    user: (scene) => scene.git('fetch', 'origin'),
  },
  { name: 'an include', script: (payload) => `printf '[core]\\n\\tfsmonitor = %s\\n' '${payload}' > inc; git config include.path ../inc`, user: status },
  {
    name: '.git/commondir',
    script: (payload) => `cp -r .git evil; git config --file evil/config core.fsmonitor '${payload}'; echo ../evil > .git/commondir`,
    user: status,
  },
  {
    name: 'a nested repository with a gitlink',
    script: (payload) => `${EVIL('sub', payload)}; git update-index --add --cacheinfo "160000,$(git -C sub rev-parse HEAD),sub"`,
    user: status,
  },
  { name: 'a nested repository', script: (payload) => EVIL('deep/er/sub', payload), user: statusIn('deep/er/sub') },
  {
    name: 'a nested repository in a folder named as no text is',
    script: (payload) => `d="$(printf 'n\\377')"; mkdir "$d"; ${EVIL('x', payload)}; mv x/.git "$d/.git"; ln -s "$d" way`,
    user: statusIn('way'),
  },
  {
    name: 'a nested repository in a folder that was closed',
    script: (payload) => `${EVIL('sub', payload)}; chmod 0 sub`,
    user: (scene) => {
      scene.gitIn(scene.root, '-c', 'alias.x=!chmod 700 sub', 'x');
      statusIn('sub')(scene);
    },
  },
  { name: 'a .git file', script: (payload) => `${EVIL('x', payload)}; mkdir sub; mv x/.git sub/store; echo 'gitdir: store' > sub/.git`, user: statusIn('sub') },
  { name: 'a .git link', script: (payload) => `${EVIL('x', payload)}; mkdir sub; mv x/.git sub/store; ln -s store sub/.git`, user: statusIn('sub') },
  { name: 'a bare layout', script: (payload) => BARE('vendor/fixture', payload), user: statusIn('vendor/fixture') },
  {
    name: 'a bare layout whose objects lie elsewhere',
    script: (payload) => `git init -q --bare store; git --git-dir=store config core.sshCommand '${payload}'; git --git-dir=store config remote.origin.url ssh://host.invalid/x; mkdir v; cp store/HEAD v; echo ../store > v/commondir; mv store/HEAD store/NOT`,
    user: (scene) => scene.gitIn(scene.at('v'), 'fetch', 'origin'),
  },
  { name: 'a bare layout moved out of node_modules', script: (payload) => `mkdir node_modules; ${BARE('node_modules/x', payload)}`, user: statusIn('node_modules/x') },
  {
    name: 'a folder in the place of one that holds a repository',
    setUp: (scene) => {
      scene.git('init', '-q', 'pkg/own');
    },
    script: (payload) => `mv pkg/own pkg/other; ${EVIL('pkg/own', payload)}`,
    user: statusIn('pkg/own'),
  },
  {
    name: 'the whole .git renamed, and another in its place',
    script: (payload) => `mv .git .old && ${EVIL('new', payload)} && mv new/.git .git`,
    user: status,
  },
  {
    name: 'a link in the place of .git/hooks',
    script: (payload) => `mkdir h; cp '${payload}' h/pre-commit; rm -rf .git/hooks; ln -s ../h .git/hooks`,
    user: (scene) => scene.git('commit', '--allow-empty', '-m', 'x'),
  },
  {
    name: 'a repository in a project that has none',
    setUp: (scene) => {
      scene.gitIn(scene.base, '-c', 'alias.x=!rm -rf project/.git', 'x');
    },
    script: (payload) => EVIL('.', payload),
    user: status,
  },
];

/** The user's git may well fail at what it finds. */
function act(scene: GitScene, { user }: Attack): void {
  try {
    user(scene);
  } catch {
    // What counts is what has run.
  }
}

withBoxes('what runs on the machine when the user next asks git something', () => {
  describe.each(ATTACKS)('$name', (attack) => {
    test('without the guard the payload runs outside', async () => {
      using scene = new GitScene().init();
      attack.setUp?.(scene);
      await scene.run(`set +e\n${attack.script(scene.payload())}`);
      expect(scene.hasRunOutside).toBe(false);
      act(scene, attack);
      expect(scene.hasRunOutside).toBe(true);
    });

    test('with it nothing does', async () => {
      using scene = new GitScene().init();
      attack.setUp?.(scene);
      const snapshot = await scene.guard.before();
      await scene.run(`set +e\n${attack.script(scene.payload())}`, scene.mounts(snapshot.existing));
      await scene.guard.after(snapshot);
      act(scene, attack);
      expect(scene.hasRunOutside).toBe(false);
    });
  });
});
