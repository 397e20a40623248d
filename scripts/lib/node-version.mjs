/** Of whatever opens the log: better-sqlite3 13 crashes silently on older ones, see docs/decisions/0060-the-lowest-node.md. */
export const minimumNode = '22.14';
/** Of the packages that open no log. */
export const minimumLibraryNode = '22.13';

export function isModernNode(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  const [wantedMajor, wantedMinor] = minimumNode.split('.').map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}
