import { describe, expect, it } from '@jest/globals';
import * as core from '../index.ts';

// Literals, never imports: what others rely on changes here first, by hand, with a line in a decision.

describe('pinned', () => {
  it('the names of events', () => {
    expect(core.AUDIT_EVENT_NAMES).toEqual([
      'TOOL_EXECUTED',
      'TOOL_ARG_VALIDATION_FAILURE',
      'TOOL_EXECUTION_ERROR',
      'UNKNOWN_TOOL',
      'TOOL_CALL_REFUSED',
      'OUTPUT_WITHHELD',
    ]);
  });

  it('the codes', () => {
    expect(Object.keys(core.ERROR_CODES).sort()).toEqual([
      'ANSWER_WITHHELD',
      'AUDIT_UNAVAILABLE',
      'BINARY_CONTENT',
      'CALL_CANCELLED',
      'COMMAND_REFUSED',
      'COMMIT_REFUSED',
      'CONFIG_INVALID',
      'CONTENT_REFUSED',
      'CONTEXT_REFUSED',
      'EDIT_REFUSED',
      'FETCH_FAILED',
      'FILE_CHANGED',
      'FILE_NOT_FOUND',
      'FILE_TOO_LARGE',
      'HOST_NOT_ALLOWED',
      'INTERNAL_ERROR',
      'INVALID_RANGE',
      'LOG_NOT_FOUND',
      'LOG_QUERY_REFUSED',
      'MALFORMED_JSON',
      'MESSAGE_REFUSED',
      'MESSAGE_TOO_LARGE',
      'NOT_A_DIRECTORY',
      'NOT_A_REGULAR_FILE',
      'NO_SPACE',
      'OUTPUT_WITHHELD',
      'OVERFLOW_NOT_FOUND',
      'OVERWRITE_REFUSED',
      'PATH_BLOCKED',
      'PATH_NOT_ALLOWED',
      'PATH_OUTSIDE_ROOT',
      'PATH_PROTECTED',
      'PATH_REFUSED',
      'PATTERN_REFUSED',
      'PERMISSION_DENIED',
      'POLICY_DENIED',
      'PROJECT_UNSAFE',
      'REDACTED_IN_WRITE',
      'SANDBOX_UNAVAILABLE',
      'SERVER_STOPPING',
      'STATE_UNUSABLE',
      'TOOL_ARG_VALIDATION_FAILURE',
      'TOOL_EXECUTION_ERROR',
      'TOOL_NAME_REFUSED',
      'TOOL_SCHEMA_REFUSED',
      'TOOL_TIMEOUT',
      'UNKNOWN_TOOL',
      'UPSTREAM_ANSWER_REFUSED',
      'UPSTREAM_LOST',
      'UPSTREAM_UNAVAILABLE',
    ]);
  });

  it('the sentinel', () => {
    expect(core.TRUNCATION_SENTINEL).toBe('\n[OUTPUT TRUNCATED - exceeded maxToolOutputBytes limit]');
  });

  it('the default limits', () => {
    expect(core.DEFAULT_CONFIG).toEqual({
      mcp: { maxToolOutputBytes: 10_485_760, maxMessageBytes: 33_554_432 },
      limits: {
        toolTimeoutMs: 60_000,
        maxUserMessageLength: 100_000,
        maxToolOutputLength: 50_000,
        maxTotalContextTokens: 180_000,
        maxFileReadSize: 10_485_760,
      },
      validation: { mode: 'strict' },
      sanitize: { boundaries: 'untrusted', secrets: true, triggers: ['__ot', 'mcp__onetool'], allowedSecrets: [] },
      audit: { durability: 'power', mode: 'strict', payloadDays: 90, heads: { everyRecords: 1_000, everySeconds: 300, systemLog: true, file: null } },
      files: { protected: [], allowed: [], blocked: [], maxDepth: 256, symlinks: 'inside' },
      network: { hosts: [] },
      sandbox: { tools: 'require', memoryBytes: 4_294_967_296, processes: 512, readable: [], unixSockets: false, account: null },
      git: { name: 'devs', email: 'devs@localhost' },
      code: { maxToolCalls: 256 },
      http: { maxConnections: 256, maxRequests: 1_024, requestTimeoutMs: 30_000 },
      tools: {},
      mcpServers: {},
    });
  });

  it('the keys of a refusal and a receipt, and who is nobody', () => {
    expect(core.ENFORCEMENT_META_KEY).toBe('devs/enforcement');
    expect(core.CHANNEL_FD).toBe(3);
    expect(core.RECEIPT_META_KEY).toBe('devs/receipt');
    expect(core.REFUSAL_META_KEY).toBe('devs/refusal');
    expect(core.ANONYMOUS).toEqual({ agentId: 'anonymous', turnIndex: 0, phaseId: '', epicId: '' });
  });

  it('the exports', () => {
    expect(Object.keys(core).sort()).toEqual([
      'ANONYMOUS',
      'AUDIT_EVENT_NAMES',
      'CHANNEL_FD',
      'CONFIG_SCHEMA',
      'DEFAULT_CONFIG',
      'DEFAULT_LIMITS',
      'DEFAULT_MAX_OUTPUT_SIZE',
      'DEFAULT_OUTPUT_CONFIG',
      'DEFAULT_TOOL_SETTINGS',
      'DevsError',
      'ENFORCEMENT_META_KEY',
      'ERROR_CODES',
      'OUTPUT_PRESETS',
      'OutputPolicy',
      'OutputSanitizer',
      'Overflow',
      'PathReach',
      'PatternRefused',
      'RECEIPT_META_KEY',
      'REFUSAL_META_KEY',
      'SANITIZATION_META_KEY',
      'SECRET_RULES',
      'STAGES',
      'SchemaCompiler',
      'TRUNCATION_SENTINEL',
      'ToolProxy',
      'ToolRegistry',
      'ValidationError',
      'canonicalJson',
      'checkConfig',
      'compilePattern',
      'contentSize',
      'copyPlain',
      'countValues',
      'createConfigCheck',
      'createOutputSanitizer',
      'createPinoLogger',
      'createSystemClock',
      'cutWords',
      'describeBlock',
      'describeCause',
      'describeErrorCode',
      'describeOffer',
      'describePointer',
      'describeProblem',
      'encodingOf',
      'enforceMessageLimit',
      'enforceToolOutputLimit',
      'findDecider',
      'findUnusable',
      'findWeakenings',
      'foldName',
      'fromPointer',
      'isOffered',
      'isRecord',
      'isRefused',
      'isTextType',
      'isToldType',
      'isWithinAllowed',
      'listConfigKeys',
      'mayBeWithinSecret',
      'nameSome',
      'outputConfigFor',
      'ownValue',
      'parseClaims',
      'parseConfig',
      'parseForeignDefinition',
      'readJsonStrictly',
      'sanitizeOutput',
      'sanitizeToolResult',
      'segmentsBelow',
      'settingsFor',
      'shortStemOf',
      'silentLogger',
      'splitPath',
      'stageOf',
      'stemOfShortName',
      'toPointer',
      'validateJsonOutput',
      'validateLLMResponse',
      'validatePath',
      'validateToolArgs',
      'validateToolInput',
      'wasTruncated',
    ]);
  });
});
