/** One configuration for every package: CommonJS by swc, sources instead of builds, no network. */
const transform = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    target: 'es2023',
    keepClassNames: true,
  },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
  swcrc: false,
};

export default {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['devs-source', 'node', 'require', 'default'] },
  testMatch: ['<rootDir>/src/**/__tests__/**/*.test.ts'],
  transform: { '\\.[cm]?[jt]s$': ['@swc/jest', transform] },
  // These ship ES modules only.
  transformIgnorePatterns: ['/node_modules/(?!\\.pnpm/(?:kysely|commander|entities|parse5)@|kysely/|commander/|entities/|parse5/)'],
  setupFiles: ['reflect-metadata'],
  moduleNameMapper: { '^fast-check$': '<rootDir>/../../scripts/lib/same-laws.mjs' },
  watchman: false,
  testSequencer: '<rootDir>/../../scripts/lib/slow-first.mjs',
  // Jest leaves one processor to itself, and has nothing to do on it.
  maxWorkers: '100%',
  // A test runs in a context of its own, where each look at a global is slow: these are handed to its modules, at a third
  // less time for all tests. None that a test replaces, and none that a module gives another meaning.
  sandboxInjectedGlobals: ['Array', 'JSON', 'Map', 'Math', 'Number', 'Object', 'RegExp', 'Reflect', 'Set', 'String', 'Symbol', 'Uint16Array', 'Uint8Array', 'WeakMap'],
  // Ends a test that hangs; no test's result depends on how fast the machine is. So no test has a limit of its own.
  testTimeout: 300_000,
  // Without a width, with several workers and in CI, it cuts the names of files off that people look for.
  coverageReporters: ['clover', 'json', 'lcov', ['text', { maxCols: 160 }]],
  collectCoverageFrom: ['src/**/*.ts', '!src/**/__tests__/**'],
};
