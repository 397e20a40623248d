import type { Json } from '../json.ts';
import { isRefused } from '../validation/plain-copy.ts';
import { Meter } from '../validation/json-schema/evaluation/run.ts';
import type { OutputPolicy } from '../sanitization/output-policy.ts';
import type { RegisteredTool, ToolDefinition } from './types.ts';

/** False when a structured content is not what the tool has declared, after cleaning. A tool that declares nothing gives what it likes. */
export function fitsOutputSchema({ outputSchema }: Pick<RegisteredTool, 'outputSchema'>, structured: Json): boolean {
  return outputSchema === undefined || !isRefused(outputSchema.judge(structured, Meter.forAnswer(structured)));
}

/** The definition with the output schema that results fit as they go out: fenced or dropped structure is not what the author wrote. */
export function toListed({ definition, name, labels }: RegisteredTool, policy: OutputPolicy): ToolDefinition {
  const { outputSchema, ...others } = definition;
  const shown = policy.listedOutputSchema({ name, labels }, outputSchema);
  return shown === outputSchema ? definition : { ...others, ...(shown !== undefined && { outputSchema: shown }) };
}
