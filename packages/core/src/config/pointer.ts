/** A JSON Pointer (RFC 6901) from names. */
export function toPointer(names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The names of a JSON Pointer. */
export function fromPointer(pointer: string): readonly string[] {
  return pointer.split('/').slice(1).map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The place as people write it: `limits.toolTimeoutMs`, `mcpServers["a.b"].command`. */
export function describePointer(pointer: string): string {
  const parts = fromPointer(pointer).map((name) => (/^[A-Za-z0-9_$-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`));
  return parts.join('').replace(/^\./, '') || 'the configuration';
}
