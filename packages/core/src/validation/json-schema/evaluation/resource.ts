import type { Json, JsonObject } from '../../../json.ts';

/** A schema with an address of its own, and what can be named in it. */
export interface Resource {
  /** Absolute, without a fragment. */
  readonly base: string;
  readonly root: Json;
  readonly anchors: Map<string, JsonObject>;
  readonly dynamicAnchors: Map<string, JsonObject>;
}
