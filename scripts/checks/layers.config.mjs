/** Who may import whom. This table feeds the check; docs/architecture draws it. */
export const packageLayers = {
  rule: 'Everyone may import @devs/core; nobody imports a sibling; only @devs/cli imports everyone.',
  scope: '@devs/',
  /** What a package may import of ours; `*` is everything. */
  mayImport: {
    core: [],
    cli: '*',
  },
  /** What every other package may import of ours, one that is new too. */
  others: ['core'],
};

/** Inside core: an entry imports only from entries above it. Entries on one line do not see each other. */
export const coreLayers = {
  rule: 'Inside core a folder imports only from folders before it.',
  folder: 'packages/core/src/',
  order: [
    ['json'],
    ['made'],
    ['error-codes'],
    ['errors', 'exclusive-lock'],
    ['config'],
    ['logging'],
    ['audit'],
    ['protocol'],
    ['patterns'],
    ['validation'],
    ['sanitization'],
    ['tool-registry'],
    ['policy'],
    ['tool-proxy'],
    ['container', 'index'],
  ],
};

/** Modules that only some files may import. `except` are patterns on the path of the importing file. */
export const restrictedImports = [
  {
    modules: ['@devs/core/container', 'tsyringe', 'reflect-metadata'],
    except: [/^packages\/cli\/src\/compose\.ts$/, /^packages\/[^/]+\/src\/container\.ts$/, /\/__tests__\//],
    rule: 'Dependency injection stays in container files and cli/src/compose.ts: domain classes are built by plain constructors.',
  },
];

/** Source text of packages that stands in one file alone. */
export const restrictedText = [
  {
    pattern: /BEGIN EXCLUSIVE|-lock(-next)?[`'"]|-archiving[`'"]|-session-[`'"$]/,
    only: 'packages/storage/src/locks/lock-file.ts',
    rule: 'Locks are taken, and their files named, in storage/src/locks/lock-file.ts alone: a process that closes any descriptor of such a file drops its lock on it.',
  },
];

/** Exceptions: `{ from, to, reason }`, where `from` is a file and `to` the module as it is written. */
export const layerExceptions = Object.freeze([
  {
    from: 'packages/cli/src/__tests__/closed-folders.test.ts',
    to: '../../../sandbox/src/__tests__/with-boxes.ts',
    reason: 'one way to ask for bubblewrap; tests are in no package',
  },
  {
    from: 'packages/cli/src/__tests__/watch-reader.slow.test.ts',
    to: '../../../storage/src/__tests__/hostile-pages.ts',
    reason: 'one way to make a log that leads in a circle; tests are in no package',
  },
  {
    from: 'packages/cli/src/__tests__/sandbox.test.ts',
    to: '../../../sandbox/src/__tests__/with-boxes.ts',
    reason: 'one way to ask for bubblewrap; tests are in no package',
  },
  {
    from: 'packages/cli/src/__tests__/locks.test.ts',
    to: '../../../sandbox/src/__tests__/with-boxes.ts',
    reason: 'one way to ask for bubblewrap; tests are in no package',
  },
  {
    from: 'packages/cli/src/__tests__/upstream-boxes.test.ts',
    to: '../../../sandbox/src/__tests__/with-boxes.ts',
    reason: 'one way to ask for bubblewrap; tests are in no package',
  },
  {
    from: 'packages/cli/src/__tests__/agent.test.ts',
    to: '../../../agent/src/__tests__/fake-api.ts',
    reason: 'one fake API for the loop and for the command; tests are in no package',
  },
]);
