import type { JsonObject } from '@devs/core';

/** What a server is, whatever its entry in the configuration is called: see `toServerIdentity`. */
export interface ServerIdentity {
  /** Holds no secret: what may be one in it is a digest. */
  readonly key: string;
  /** As its entry asks for it. Recorded, and never part of what is compared. */
  readonly version?: string;
  /** Of the files that its command names, where somebody has hashed them. */
  readonly integrity?: string;
}

/** What a server shows of itself now. */
export interface ShownServer {
  /** As the configuration calls it. */
  readonly entry: string;
  /** What it says its version is. Its own word. */
  readonly saidVersion?: string;
  /** By its own names for them. What is not here keeps its pin. */
  readonly tools: ReadonlyMap<string, ShownTool>;
  readonly instructions?: string;
  /** Tools that are kept from everybody, and why. For people. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
}

export interface ShownTool {
  /** As clients call it. */
  readonly name: string;
  /** See `toPinned`. */
  readonly pinned: JsonObject;
}

/** Something of a server's that counts as it was when it was first seen, or when a person said so last. */
export interface Pin<Value> {
  readonly value: Value;
  /** See `digestOf`. */
  readonly digest: string;
  /** ISO 8601, UTC. */
  readonly pinnedAt: string;
  /** A person has looked at it. */
  readonly approvedAt?: string;
  /** What the server shows instead, until a person has said that it may. */
  readonly changed?: { readonly value: Value; readonly digest: string; readonly seenAt: string };
}

export interface ToolPin extends Pin<JsonObject> {
  /** As clients called it last. */
  readonly name: string;
  /** It came to a server that was known without it, and nobody has looked at it since. */
  readonly isNew?: true;
}

export interface ServerPins {
  readonly identity: ServerIdentity;
  /** As the configuration called it last. */
  readonly entry: string;
  readonly saidVersion?: string;
  readonly tools: ReadonlyMap<string, ToolPin>;
  readonly instructions?: Pin<string>;
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
}

/** What people have approved, by looking or by leaving it as it was first seen. Where it cannot be read or written, nothing is approved. */
export interface PinStore {
  /** Undefined for a server that was never seen. Throws `STATE_UNUSABLE`. */
  find(identity: ServerIdentity): Promise<ServerPins | undefined>;
  /** Pins what is not pinned, keeps what has changed beside what is, and gives what counts now. Throws `STATE_UNUSABLE`. */
  note(identity: ServerIdentity, shown: ShownServer): Promise<ServerPins>;
}
