/** Lines and function lengths are oxlint's (`.oxlintrc.json`); this is what oxlint cannot say. */

export const parameterLimit = {
  maximum: 3,
  rule: 'At most 3 parameters: a fourth becomes `(request, options)`.',
  exceptions: [
    { name: 'ToolProxy.constructor', maximum: 5, reason: 'seed 003 fixes four; options with safe defaults follow' },
    { name: 'validateToolArgs', maximum: 4, reason: 'seed 003 fixes (toolName, args, registry, auditLogger)' },
    { name: 'validateToolInput', maximum: 4, reason: 'seed 004 fixes (toolName, schema, input); options with safe defaults follow' },
    { name: 'SandboxExecutor.execute', maximum: 4, reason: 'seed 003 fixes (tool, args, context); the run follows' },
    { name: 'ToolRunner.execute', maximum: 4, reason: 'implements SandboxExecutor' },
    { name: 'execute', maximum: 4, inTests: true, reason: 'stands in for SandboxExecutor' },
    { name: '(anonymous)', maximum: 6, inTests: true, reason: 'takes a row of a test table' },
  ],
};

/** A made value is minted in one file. `file` is a pattern; only one file that fits it may mint. */
export const mintedTypes = [
  { type: 'ValidatedArgs', file: /^packages\/core\/src\/validation\/schema\.ts$/ },
  { type: 'GuardedArguments', file: /^packages\/core\/src\/tool-registry\/guard-paths\.ts$/ },
  { type: 'Permit', file: /^packages\/core\/src\/policy\/decide\.ts$/ },
  { type: 'Admitted', file: /^packages\/core\/src\/tool-proxy\/limits\/call-limiter\.ts$/ },
  { type: 'Clean', file: /^packages\/core\/src\/sanitization\/[^/]+\.ts$/ },
  { type: 'StartedCall', file: /^packages\/core\/src\/tool-proxy\/started-call\.ts$/ },
];

/** Things that are done in one place. `allowed` are patterns on the path; tests are free unless `inTests`. */
export const onePlace = {
  errorResult: {
    // The others are a server's own errors, raw: they go into the gate, not out of it.
    allowed: [
      /^packages\/core\/src\/tool-proxy\/to-result\.ts$/,
      /^packages\/mcp\/src\/upstream\/pool\/raw-result\.ts$/,
      /^packages\/demo\/src\/hostile-outputs\.ts$/,
    ],
    rule: 'One way out: `isError: true` is built in core/src/tool-proxy/to-result.ts alone.',
  },
  handlerCall: {
    allowed: [/^packages\/sandbox\/src\/tool-runner\.ts$/],
    rule: 'A tool handler is called by sandbox/src/tool-runner.ts alone, behind the gate.',
  },
  errno: {
    // What a server answered with is a number, and no error of the system.
    allowed: [/^packages\/core\/src\/errors\.ts$/, /^packages\/mcp\/src\/relay\/rounds\.ts$/],
    rule: 'One way to read the code of an error: `errnoOf` of @devs/core.',
  },
  resolve: {
    // A factory in a container file resolves what the thing it makes depends on.
    allowed: [/^packages\/cli\/src\/compose\.ts$/, /^packages\/[^/]+\/src\/container\.ts$/],
    rule: 'The container is asked in cli/src/compose.ts alone.',
    /** What else has a method of this name. */
    innocent: ['path', 'Promise', 'require', 'import.meta', 'path.posix', 'path.win32', 'posix', 'win32'],
  },
};

export const bannedFileWords = {
  words: ['manager', 'managers', 'helper', 'helpers', 'util', 'utils'],
  rule: 'Name the thing, not its vagueness: no Manager, Helper or Utils.',
};

/**
 * Words of our own that a standard term has replaced. They are held against names of files and of exports, in sources that are no
 * tests. `remaining` is what still has them: it may only shrink, and an entry that is gone is an error.
 */
export const retiredWords = {
  words: new Map([
    ['seat', 'upstream instance'],
    ['face', 'server profile'],
    ['hello', 'client info, server info'],
    ['door', 'request admission, test client'],
    ['front', 'request admission'],
    ['outlet', 'response writer'],
    ['glimpse', 'envelope peek'],
    ['bell', 'list-changed notification'],
    ['noise', 'protocol violation'],
    ['onward', 'passthrough'],
    ['evidence', 'audit writer'],
    ['witness', 'test client'],
  ]),
  exceptions: [
    { word: 'hello', file: /^packages\/sandbox\/src\/egress\//, reason: 'TLS calls its first message ClientHello' },
    { word: 'witness', file: /^packages\/(storage\/src\/heads\/|cli\/src\/log-keys)/, reason: 'transparency logs have witnesses, who keep heads' },
  ],
  remaining: [
    'packages/core/src/tool-proxy/to-result.ts AnswerEvidence',
    'packages/core/src/tool-proxy/to-result.ts withEvidence',
    'packages/demo/src/hostile-family/witness.ts witness',
    'packages/demo/src/index.ts witness',
  ],
};

export const bannedVariables = {
  words: ['msg', 'req', 'res', 'cfg', 'ctx', 'opts', 'cb', 'mgr'],
  rule: 'Whole words: message, request, response, config, context, options.',
};

export const moduleState = {
  rule: 'No mutable state at module level: a constructor owns it, so that two of them can exist.',
  exceptions: [
    { file: 'scripts/checks/source.mjs', name: 'parsed', reason: 'remembers trees by the map they came from; changes no answer' },
    { file: 'packages/core/src/sanitization/pipeline/folded-view.ts', name: 'FOLDED', reason: 'remembers what characters fold to, 17 planes at most; changes no answer, and a table for each text costs more than the text' },
    { file: 'packages/core/src/protocol/hidden-characters.ts', name: 'JUDGED', reason: 'remembers where people write what is not seen; changes no answer, for the same reason' },
    { file: 'packages/core/src/sanitization/secrets/written-forms.ts', name: 'KINDS', reason: 'remembers which code units are hidden; changes no answer, for the same reason' },
  ],
};
