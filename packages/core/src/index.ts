export { DevsError, describeCause, errnoOf, findDecider } from './errors.ts';
export { ERROR_CODES, describeErrorCode } from './error-codes.ts';
export type { Effect, ErrorCode, ErrorCodeEntry } from './error-codes.ts';
export type { ExclusiveLock, LockWait } from './exclusive-lock.ts';
export { isRecord, ownValue } from './json.ts';
export type { Json, JsonObject } from './json.ts';
export type { Made } from './made.ts';
export { describeBlock } from './protocol/tool-result.ts';
export type {
  AnsweredError,
  AudioContent,
  BlobResource,
  BlockAnnotations,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  InputRequired,
  Question,
  RawContent,
  RawToolOutput,
  RawToolResult,
  ResourceLink,
  TextContent,
  TextResource,
  ToolResult,
} from './protocol/tool-result.ts';
export { createNoticeCleaner } from './tool-proxy/create-notice-cleaner.ts';
export { LOG_LEVELS } from './tool-registry/upstream-call.ts';
export type { CallNotice, Continuation, LogLevel, UpstreamCall } from './tool-registry/upstream-call.ts';
export { CHANNEL_FD } from './tool-registry/confinement.ts';
export type {
  CapturedOutput,
  ConfinedProcess,
  ConfinedRequest,
  Confinement,
  ConfinementReport,
  Enforcement,
  ExecOptions,
  Guarantee,
  GuaranteeReport,
  Mount,
  ProcessExit,
  ProcessLimits,
  ProcessOutcome,
} from './tool-registry/confinement.ts';
export type {
  CodeEnd,
  CodeOutcome,
  CodePlan,
  CodeRunner,
  CommandOutcome,
  CommandPlan,
  CommandRunner,
  CommitOutcome,
  CommitPlan,
  Egress,
  FetchedPage,
  FetchPlan,
  MendedLink,
  MovedAside,
  RepositoryWriter,
} from './tool-registry/confined-tools.ts';
export type {
  CallCapabilities,
  CapabilitiesByKind,
  DirectoryEntry,
  DirectoryListing,
  EditedFile,
  EntryKind,
  ExistingContent,
  FileEdit,
  FileRange,
  FileSlice,
  FsRoot,
  LineRange,
  LineSlice,
  ListingRequest,
  SearchedLine,
  SearchReport,
  SearchRequest,
  Surroundings,
  ToolCapabilities,
  ToolKind,
  WriteOutcome,
  WriteRequest,
} from './tool-registry/capabilities.ts';
export type {
  InProcessHandler,
  RegisteredTool,
  ToolDefinition,
  ToolExecutionContext,
  ToolHandler,
  ToolLabel,
  ToolOfKind,
  ToolRegistration,
  ToolTraits,
} from './tool-registry/types.ts';
export { describeEffects } from './tool-registry/describe-effects.ts';
export type { ProjectEffects } from './tool-registry/describe-effects.ts';
export { describeOffer } from './tool-registry/describe-for-code.ts';
export { isOffered, ToolRegistry } from './tool-registry/ToolRegistry.ts';
export type { Registration, ToolLookup, ToolRegistryOptions } from './tool-registry/ToolRegistry.ts';
export type { RefusedTool } from './tool-registry/refused-tools.ts';
export { ANONYMOUS, parseClaims } from './tool-registry/context.ts';
export type { Claims } from './tool-registry/context.ts';
export { cleanInstructions, cutInstructions } from './tool-registry/clean-instructions.ts';
export { createListingCleaner } from './tool-registry/clean-listing.ts';
export type { ListingCleaner } from './tool-registry/clean-listing.ts';
export { parseForeignDefinition } from './tool-registry/foreign-definition.ts';
export { parseForeignListing } from './tool-registry/foreign-listing.ts';
export type { ListingKind } from './tool-registry/foreign-listing.ts';
export { validateToolArgs } from './tool-registry/validate-tool-args.ts';
export type { ValidationOutcome } from './tool-registry/validate-tool-args.ts';
export { compilePattern } from './patterns/compile-pattern.ts';
export type { LinearPattern, PatternOptions } from './patterns/compile-pattern.ts';
export { PatternRefused } from './patterns/pattern-refused.ts';
export { SchemaCompiler, validateToolInput } from './validation/schema.ts';
export { countValues } from './validation/foreign-json.ts';
export { canonicalJson } from './canonical-json.ts';
export { DEFAULT_LIMITS, enforceMessageLimit, enforceToolOutputLimit } from './validation/limits.ts';
export { validateLLMResponse } from './validation/llm-response.ts';
export type {
  AvailableTool,
  CallRejection,
  CutToolCall,
  LLMResponseValidation,
  OtherBlock,
  RejectedToolCall,
  ValidatedToolCall,
} from './validation/llm-response.ts';
export { copyPlain, isRefused } from './validation/plain-copy.ts';
export type { CopyOutcome } from './validation/plain-copy.ts';
export { readJsonStrictly } from './validation/strict-json.ts';
export type { JsonReading } from './validation/strict-json.ts';
export { foldName, shortStemOf, stemOfShortName } from './validation/fold-name.ts';
export { PathReach } from './validation/path-reach.ts';
export { isWithinAllowed, validatePath } from './validation/paths.ts';
export type { PathValidation, PathValidationOptions } from './validation/paths.ts';
export { findUnusable, segmentsBelow, splitPath } from './validation/path-segments.ts';
export type {
  ArgumentCheck,
  Authorship,
  CheckedArguments,
  CompiledSchema,
  CompileOptions,
  MarkedPath,
  ValidatedArgs,
  ValidationOptions,
  ValidationResult,
} from './validation/schema.ts';
export { ValidationError } from './validation/validation-error.ts';
export type { ValidationErrorCode } from './validation/validation-error.ts';
export { AUDIT_EVENT_NAMES } from './audit/events.ts';
export type { AuditEvent, AuditEventName, AuditLogger } from './audit/events.ts';
export {
  checkConfig,
  CONFIG_SCHEMA,
  createConfigCheck,
  DEFAULT_CONFIG,
  DEFAULT_MAX_OUTPUT_SIZE,
  DEFAULT_OUTPUT_CONFIG,
  DEFAULT_TOOL_SETTINGS,
  describePointer,
  describeProblem,
  findWeakenings,
  fromPointer,
  listConfigKeys,
  nameSome,
  OUTPUT_PRESETS,
  outputConfigFor,
  parseConfig,
  settingsFor,
  toClientName,
  toNameKey,
  toPointer,
} from './config/schema.ts';
export type {
  AllowedSecret,
  AuditMode,
  BoundaryPolicy,
  StructuredPolicy,
  ConfigCheck,
  ConfigProblem,
  DevsCoreConfig,
  Durability,
  CallLimits,
  McpServerConfig,
  NetworkRules,
  OutputConfig,
  OutputPreset,
  OutputSanitizerConfig,
  PathRules,
  SandboxMode,
  SandboxRules,
  UpstreamSandboxMode,
  UpstreamSandboxRules,
  SizeLimits,
  ToolConfig,
  ToolSettings,
  ValidationMode,
} from './config/schema.ts';
export { createPinoLogger } from './logging/pino-logger.ts';
export type { PinoLoggerOptions } from './logging/pino-logger.ts';
export { silentLogger } from './logging/structured-logger.ts';
export type { LogFields, StructuredLogger } from './logging/structured-logger.ts';
export { createOutputSanitizer, OutputSanitizer } from './protocol/output-sanitizer.ts';
export type { IOutputSanitizer, OutputSanitizerOptions } from './protocol/output-sanitizer.ts';
export { encodingOf } from './protocol/decode.ts';
export type { Encoding } from './protocol/decode.ts';
export { quoteName } from './protocol/quote-name.ts';
export { cutWords, TRUNCATION_SENTINEL } from './protocol/text.ts';
export type { CleanText } from './protocol/text.ts';
export type { Observation, SAOPEnvelope } from './protocol/envelope.ts';
export { OutputPolicy } from './sanitization/output-policy.ts';
export type { OutputPolicyOptions, OutputTool } from './sanitization/output-policy.ts';
export { Overflow } from './sanitization/results/overflow.ts';
export type { OverflowDependencies, OverflowLimits, OverflowPage } from './sanitization/results/overflow.ts';
export { contentSize, sanitizeOutput, validateJsonOutput, wasTruncated } from './sanitization/sanitize-output.ts';
export type { MalformedJson, OutputSanitizationError, SanitizedOutput } from './sanitization/sanitize-output.ts';
export { findBinary, type BinaryContent } from './sanitization/results/binary.ts';
export { SECRET_RULES } from './sanitization/secrets/rules.ts';
export { mayBeWithinSecret } from './sanitization/secrets/within-secret.ts';
export { SANITIZATION_META_KEY } from './sanitization/result-cleaner.ts';
export { toOwnToolNames, toSamplingToolName } from './sanitization/requests/sampling-names.ts';
export { withFenceFirst } from './sanitization/results/structured-fence.ts';
export { isTextType, isToldType } from './sanitization/results/media-types.ts';
export { sanitizeToolResult } from './sanitization/sanitize-tool-result.ts';
export type { SanitizationContext, SanitizationReport } from './sanitization/results/sanitization-context.ts';
export type { Clean, SanitizedResult } from './sanitization/sanitize-tool-result.ts';
export type { Finding } from './sanitization/pipeline/tally.ts';
export type { Change, Rewriter, TextStep, TextStepName } from './sanitization/pipeline/text-step.ts';
export type { Alteration, ByteRange, TextView } from './sanitization/pipeline/text-view.ts';
export { ToolProxy, ENFORCEMENT_META_KEY, RECEIPT_META_KEY, REFUSAL_META_KEY, createSystemClock, STAGES, stageOf } from './tool-proxy/index.ts';
export type {
  AgentLogEntry,
  AgentLogIntent,
  AgentLogQuery,
  AgentLogReader,
  AgentLogReceipt,
  AgentLogRecord,
  AgentLogRepository,
  AgentSource,
  AnswerWishes,
  CallStatus,
  Clock,
  IntentWishes,
  Origin,
  SandboxExecutor,
  SandboxRun,
  SanitizationSummary,
  Stage,
  ToolCallRequest,
  ToolProxyOptions,
} from './tool-proxy/index.ts';
