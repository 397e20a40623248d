/** better-sqlite3 13 crashes silently on older ones; see docs/decisions. */
export const minimumNode = '22.13';

export function isModernNode(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  const [wantedMajor, wantedMinor] = minimumNode.split('.').map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}
