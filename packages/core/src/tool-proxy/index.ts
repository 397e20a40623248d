export { ToolProxy } from './ToolProxy.ts';
export type { ToolProxyOptions } from './ToolProxy.ts';
export { ENFORCEMENT_META_KEY, RECEIPT_META_KEY, REFUSAL_META_KEY } from './to-result.ts';
export { STAGES, stageOf } from './stages.ts';
export type { Stage } from './stages.ts';
export { createSystemClock } from './call/call.ts';
export type { AnswerWishes } from './call-output.ts';
export type { Clock } from './call/call.ts';
export type {
  AgentLogEntry,
  AgentLogIntent,
  AgentLogQuery,
  AgentLogReader,
  AgentLogReceipt,
  AgentLogRecord,
  AgentLogRepository,
  AgentSource,
  CallStatus,
  IntentWishes,
  Origin,
  SandboxExecutor,
  SandboxRun,
  SanitizationSummary,
  ToolCallRequest,
} from './call/types.ts';
