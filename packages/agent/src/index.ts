export { AgentLoop, DEFAULT_SYSTEM_PROMPT } from './agent-loop.ts';
export type { AgentLoopOptions, RunOptions } from './agent-loop.ts';
export type { ToolCatalog } from './tool-catalog.ts';
export { AnthropicClient } from './anthropic/anthropic-client.ts';
export type { AnthropicClientOptions } from './anthropic/anthropic-client.ts';
export { DEFAULT_WIRE_LIMITS } from './anthropic/bounded-fetch.ts';
export type { WireLimits } from './anthropic/bounded-fetch.ts';
export { ContextBudget } from './context-budget.ts';
export type { AgentEvent, AgentResult, AgentStopReason } from './events.ts';
export { LlmFailure } from './llm-client.ts';
export type {
  Block,
  LlmAnswer,
  LlmClient,
  LlmEvent,
  LlmFailureDetails,
  LlmFailureKind,
  LlmRequest,
  Message,
  OfferedTool,
  Usage,
} from './llm-client.ts';
export { createTimer } from './timer.ts';
export type { Timer } from './timer.ts';
export { loadTokenCounter } from './token-counter.ts';
export type { CountTokens } from './token-counter.ts';
