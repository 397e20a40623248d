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
  watchman: false,
  // Ends a test that hangs; no test's result depends on how fast the machine is.
  testTimeout: 120_000,
  collectCoverageFrom: ['src/**/*.ts', '!src/**/__tests__/**'],
};
