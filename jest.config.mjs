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
  // kysely alone ships ES modules only.
  transformIgnorePatterns: ['/node_modules/(?!\\.pnpm/kysely@|kysely/)'],
  setupFiles: ['reflect-metadata'],
  watchman: false,
  collectCoverageFrom: ['src/**/*.ts', '!src/**/__tests__/**'],
};
