import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { isModernNode, minimumNode } from './node-version.mjs';
import { inRepository } from './repository.mjs';

/** Names of the packages that bring a Node for a platform, as the root manifest lists them. */
export function bundledNodePackages(manifest) {
  return Object.keys(manifest.optionalDependencies ?? {}).filter((name) => /^node-(bin-)?[a-z0-9]+-[a-z0-9]+$/.test(name));
}

export function bringsNodeFor(platform, manifest) {
  return bundledNodePackages(manifest).some((name) => name.replace(/^node-(bin-)?/, '') === platform);
}

export function unsupportedSentence(version, platform) {
  return (
    `Node ${minimumNode} or newer is needed. This is Node ${version.replace(/^v/, '')} on ${platform}, ` +
    'and the repository brings no Node that runs here. Install a newer Node and run the command again.'
  );
}

function runsHere(executable) {
  const probe = spawnSync(executable, ['--version'], { encoding: 'utf8', timeout: 20_000 });
  return probe.status === 0 && isModernNode(probe.stdout.trim());
}

/** The running Node if it is new enough, else the one that the install brought. Throws a sentence for the user. */
export function findNode() {
  if (isModernNode(process.version)) return process.execPath;
  const brought = inRepository('node_modules', '.bin', 'node');
  if (runsHere(brought)) return brought;
  throw new Error(unsupportedSentence(process.version, `${process.platform}-${process.arch}`));
}

/** Says so before anything is downloaded. A platform that is listed may still fail in `findNode` (musl). */
export function refuseUnsupportedPlatform(manifest) {
  const platform = `${process.platform}-${process.arch}`;
  if (isModernNode(process.version) || bringsNodeFor(platform, manifest)) return;
  throw new Error(unsupportedSentence(process.version, platform));
}
