/** What a client says of itself before anything is served to it: what `initialize` holds, or the `_meta` of each request. */
export interface ClientInfo {
  readonly era: 'legacy' | 'modern';
  /** As the client asked for it. */
  readonly protocolVersion: string;
  /** As declared; not checked further. */
  readonly capabilities: { readonly [key: string]: unknown };
  readonly clientInfo: { readonly name: string; readonly version: string };
}
