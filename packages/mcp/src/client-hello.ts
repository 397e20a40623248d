/** What a client says of itself in its first message, before anything is served to it. */
export interface ClientHello {
  readonly era: 'legacy' | 'modern';
  /** As the client asked for it. */
  readonly protocolVersion: string;
  /** As declared; not checked further. */
  readonly capabilities: { readonly [key: string]: unknown };
  readonly clientInfo: { readonly name: string; readonly version: string };
}
