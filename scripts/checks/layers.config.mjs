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

/**
 * Inside a package: an entry, which is a folder or a file of `src`, imports only from entries above it. Entries on one line do
 * not see each other. A folder in a folder is an entry of its own where the table names it by its path.
 */
export const innerLayers = [
  {
    rule: 'Inside core a folder imports only from folders before it.',
    folder: 'packages/core/src/',
    order: [
      ['json'],
      ['canonical-json', 'made'],
      ['error-codes'],
      ['errors', 'exclusive-lock'],
      ['config'],
      ['logging'],
      ['audit'],
      ['protocol'],
      ['patterns'],
      ['validation'],
      ['sanitization/pipeline'],
      ['sanitization/html', 'sanitization/terminal'],
      ['sanitization/markdown', 'sanitization/secrets'],
      ['sanitization/json'],
      ['sanitization/steps'],
      ['sanitization/results'],
      ['sanitization/requests'],
      ['sanitization'],
      ['tool-registry'],
      ['policy'],
      ['tool-proxy'],
      ['container', 'index'],
    ],
  },
  {
    rule: 'Inside mcp a folder imports only from folders before it.',
    folder: 'packages/mcp/src/',
    order: [
      ['client-info', 'node-http'],
      ['auth'],
      ['raw'],
      ['pins', 'protocol'],
      ['relay'],
      ['upstream/protocol'],
      // What reaches a server is interchangeable: neither of the two knows the other.
      ['upstream/http', 'upstream/pool', 'upstream/stdio'],
      ['upstream'],
      ['orchestrator'],
      ['http'],
      ['transports'],
      ['container', 'index'],
    ],
  },
  {
    rule: 'Inside storage a folder imports only from folders before it.',
    folder: 'packages/storage/src/',
    order: [
      ['agent-log-error', 'agent-logs', 'disposal', 'query'],
      ['chain'],
      ['record'],
      ['database'],
      ['locks'],
      ['heads', 'search', 'stats'],
      ['sqlite'],
      ['memory'],
      ['export'],
      ['verify'],
      ['archive'],
      ['index'],
    ],
  },
  {
    rule: 'Inside sandbox a folder imports only from folders before it.',
    folder: 'packages/sandbox/src/',
    order: [
      ['box-obstacle', 'egress', 'files', 'processes', 'tool-runner'],
      ['box-view', 'closed-folders'],
      ['link-targets', 'mounted-names'],
      ['disks'],
      ['confinement', 'repository', 'search'],
      ['code', 'commands', 'egress/in-box', 'guarded-fs-root', 'open-confinement', 'refused-rules'],
      ['confined-work', 'open-fs-root', 'servers'],
      ['index'],
    ],
  },
  {
    rule: 'Inside cli a folder imports only from folders before it.',
    folder: 'packages/cli/src/',
    order: [
      ['exit-codes', 'secrets', 'state', 'version', 'watched'],
      ['terminal', 'watch-reader'],
      ['config'],
      ['log-keys', 'servers'],
      ['place'],
      ['compose', 'heads-file'],
      ['index', 'session'],
      ['commands'],
      ['program'],
      ['main'],
    ],
  },
  {
    rule: 'Inside tools a folder imports only from folders before it.',
    folder: 'packages/tools/src/',
    order: [
      ['answer', 'arguments', 'count-of', 'marks', 'path-argument', 'quote-name', 'try-view'],
      ['effect-notices'],
      ['git-commit', 'list-directory', 'read-file', 'read-more', 'run-code', 'search-files', 'shell-exec', 'show-path', 'web-fetch'],
      ['surgical-edit', 'write-file'],
      ['built-in-tools'],
      ['index'],
    ],
  },
  {
    rule: 'Inside demo a folder imports only from folders before it.',
    folder: 'packages/demo/src/',
    order: [
      ['hostile-family', 'http-test-client', 'line-client'],
      ['hostile-outputs', 'stage'],
      ['attack', 'hostile-server'],
      ['call-attacks'],
      ['box-attacks', 'configuration-attacks', 'http-attacks', 'message-attacks', 'output-attacks', 'server-attacks', 'upstream-attacks'],
      ['home-attacks'],
      ['attack-groups'],
      ['index'],
    ],
  },
  {
    rule: 'Inside agent a folder imports only from folders before it.',
    folder: 'packages/agent/src/',
    order: [
      ['fit-result', 'llm-client', 'timer', 'token-counter', 'tool-catalog'],
      ['anthropic', 'context-budget', 'conversation', 'events', 'offer-tools'],
      ['next-step', 'run-calls'],
      ['agent-run'],
      ['agent-loop'],
      ['container', 'index'],
    ],
  },
];

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
    from: 'packages/cli/src/__tests__/upstream-boxes.slow.test.ts',
    to: '../../../sandbox/src/__tests__/with-boxes.ts',
    reason: 'one way to ask for bubblewrap; tests are in no package',
  },
  {
    from: 'packages/cli/src/__tests__/agent.test.ts',
    to: '../../../agent/src/__tests__/fake-api.ts',
    reason: 'one fake API for the loop and for the command; tests are in no package',
  },
]);

/** Imports, `[file, module]`, that break a table of `innerLayers` today. The list can only get shorter: the check names an entry that is true no more. */
export const layerOffenders = Object.freeze([]);

/** Cycles of files, and of folders, that there are today. The same holds for this list. */
export const knownCycles = Object.freeze([]);
