import type { Json } from '../json.ts';
import { isRefused } from '../validation/plain-copy.ts';
import type { RegisteredTool } from './types.ts';

/** False when a structured content is not what the tool has declared, after cleaning. A tool that declares nothing gives what it likes. */
export function fitsOutputSchema({ outputSchema }: Pick<RegisteredTool, 'outputSchema'>, structured: Json): boolean {
  return outputSchema === undefined || !isRefused(outputSchema.judge(structured));
}
