/** Undefined for what is no JSON, which says nothing of its own. */
export function parseMessage(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
