export { ToolProxy } from './ToolProxy.ts';
export type { ToolProxyOptions } from './ToolProxy.ts';
export { REFUSAL_META_KEY } from './to-result.ts';
export { createSystemClock } from './call.ts';
export type { AnswerWishes } from './outlet.ts';
export type { Clock } from './call.ts';
export type {
  AgentLogEntry,
  AgentLogIntent,
  AgentLogQuery,
  AgentLogReader,
  AgentLogRecord,
  AgentLogRepository,
  CallStatus,
  Origin,
  SandboxExecutor,
  SandboxRun,
  SanitizationSummary,
  ToolCallRequest,
} from './types.ts';
