// Every way that what a tool or a server says goes through the gate, with the built package: for scripts that measure it.
import { randomUUID } from 'node:crypto';
import {
  createListingCleaner, createOutputSanitizer, DEFAULT_CONFIG, DEFAULT_OUTPUT_CONFIG, DevsError, OutputPolicy, sanitizeToolResult, SchemaCompiler, silentLogger, ToolRegistry,
} from '../../packages/core/dist/index.js';

const TOOL = { name: 'fetch_page', labels: ['untrusted'] };
const PAGES = { ...DEFAULT_OUTPUT_CONFIG, links: 'mark', html: 'text' };

/** By the name of the way; each gives what came out: `clean`, or the code of the refusal. */
export function createAnswerCleaners({ maxBytes = 10_485_760 } = {}) {
  const policy = new OutputPolicy({ sanitize: DEFAULT_CONFIG.sanitize });
  const result = (output, special) => tried((raw) => sanitizeToolResult(raw, output, { ...contextFor({ policy, output, maxBytes }), ...special }));
  const listing = createListingCleaner(policy);
  return {
    result: result(DEFAULT_OUTPUT_CONFIG, {}),
    links: result(PAGES, {}),
    page: result(PAGES, { authorship: 'own' }),
    file: result(DEFAULT_OUTPUT_CONFIG, { authorship: 'own', wrapper: undefined }),
    question: result(DEFAULT_OUTPUT_CONFIG, { asker: 'bank' }),
    definition: tried((definition) => register(definition, policy)),
    listing: tried((raw) => listing('resource', raw)),
    log: tried((raw) => policy.valueForLog(raw, TOOL.name)),
  };
}

function contextFor({ policy, output, maxBytes }) {
  return {
    sanitizer: createOutputSanitizer({ mcp: { maxToolOutputBytes: maxBytes } }),
    logger: silentLogger,
    toolName: TOOL.name,
    taskId: '',
    turnIndex: 0,
    authorship: 'foreign',
    steps: policy.stepsFor(TOOL, output, true),
    wrapper: policy.wrapperFor('server/fetch_page'),
    noticeId: policy.noticeId,
    createId: randomUUID,
    keep: () => 'a-handle',
  };
}

function register(definition, policy) {
  const registry = new ToolRegistry({ policy, compiler: new SchemaCompiler() });
  registry.register({ definition, kind: 'upstream', authorship: 'foreign', source: 'bank', effects: true, labels: [], handler: async () => ({ content: [] }) });
}

function tried(act) {
  return (raw) => {
    try {
      act(raw);
      return 'clean';
    } catch (cause) {
      if (!DevsError.is(cause)) throw cause;
      return cause.code.toLowerCase();
    }
  };
}
