import { randomUUID } from 'node:crypto';
import { DEFAULT_CONFIG, type DevsCoreConfig } from '../../config/defaults.ts';
import { DEFAULT_OUTPUT_CONFIG, type OutputConfig } from '../../config/output-config.ts';
import { silentLogger } from '../../logging/structured-logger.ts';
import { createOutputSanitizer } from '../../protocol/output-sanitizer.ts';
import { OutputPolicy } from '../output-policy.ts';
import type { SanitizationContext } from '../results/sanitization-context.ts';
import { sanitizeToolResult, type SanitizedResult } from '../sanitize-tool-result.ts';

/** Of the notices of every pipeline here. */
export const NOTICE_ID = '48151623';

export interface PipelineWishes {
  readonly sanitize?: Partial<DevsCoreConfig['sanitize']>;
  readonly output?: Partial<OutputConfig>;
  readonly labels?: readonly string[];
  readonly requested?: boolean;
  readonly injectedSecrets?: readonly string[];
  /** The hard cap, in bytes. */
  readonly maxBytes?: number;
  readonly context?: Partial<SanitizationContext>;
}

/** The whole pipeline as the gate calls it, for one tool. */
export function createPipeline(wishes: PipelineWishes = {}): (raw: unknown) => SanitizedResult {
  const { sanitize, output, labels = [], requested = false, injectedSecrets = [], maxBytes = 10_485_760 } = wishes;
  const policy = new OutputPolicy({ sanitize: { ...DEFAULT_CONFIG.sanitize, ...sanitize }, injectedSecrets, fingerprintKey: new Uint8Array(32), noticeId: NOTICE_ID });
  const config = { ...DEFAULT_OUTPUT_CONFIG, ...output };
  const tool = { name: 'fetch_page', labels };
  const isBounded = policy.isBounded(tool, requested);
  const context: SanitizationContext = {
    sanitizer: createOutputSanitizer({ mcp: { maxToolOutputBytes: maxBytes } }),
    logger: silentLogger,
    toolName: tool.name,
    taskId: '',
    turnIndex: 0,
    authorship: 'foreign',
    maxSamplingTokens: policy.maxSamplingTokens,
    steps: policy.stepsFor(tool, config, isBounded),
    wrapper: isBounded ? policy.wrapperFor('server/fetch_page') : undefined,
    structured: policy.structured,
    noticeId: NOTICE_ID,
    createId: randomUUID,
    ...wishes.context,
  };
  return (raw) => sanitizeToolResult(raw, config, context);
}

/** One text through it, and what came of it. */
export function cleanOne(text: string | Uint8Array, wishes: PipelineWishes = {}): string {
  return textOf(createPipeline(wishes)({ content: [{ type: 'text', text }] }));
}

export function textOf({ result }: SanitizedResult): string {
  return result.content.map((block) => (block.type === 'text' || block.type === 'error' ? block.text : `(${block.type})`)).join('\n---\n');
}

/** Inside its boundary; undefined when it stands in none. */
export function unwrap(text: string): string | undefined {
  const match = /^<external-content-(?<id>[0-9a-f]{12}) source="(?<source>[^"<>]*)">\n(?<content>[^]*)\n<\/external-content-\k<id>>$/.exec(text);
  return match?.groups?.['content'];
}
