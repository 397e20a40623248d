import { isRecord, type JsonObject } from '@devs/core';
import type { UpstreamEvent } from '../../protocol/upstream.ts';

/** Whether a server says when its lists of a kind change. */
export function announces(capabilities: JsonObject, capability: 'resources' | 'prompts'): boolean {
  const declared = capabilities[capability];
  return isRecord(declared) && declared['listChanged'] === true;
}

/**
 * Which lists are news when an instance is there: who was told what there is before has none of its. Of a server that was there
 * before only those of which it says that they change.
 */
export function newsOf(capabilities: JsonObject, wasThere: boolean): readonly UpstreamEvent[] {
  const isNews = (capability: 'resources' | 'prompts') => capabilities[capability] !== undefined && (!wasThere || announces(capabilities, capability));
  return (['prompts', 'resources'] as const).filter(isNews).map((capability) => ({ kind: `${capability}-changed` as const }));
}
