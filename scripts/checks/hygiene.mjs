import { bundledNodePackages } from '../lib/find-node.mjs';
import { finding } from './source.mjs';

const registryHost = /https?:\/\/[\w.-]*(?:registry|artifactory|verdaccio|nexus)[\w.-]*/i;
const anyHost = /https?:\/\/|tarball:/;

function linesMatching(text, matches) {
  return text.split('\n').flatMap((line, index) => (matches(line) ? [index + 1] : []));
}

function names(line, place) {
  const at = line.indexOf(place);
  return at !== -1 && /^([/"'`\s:),\]}]|$)/.test(line.slice(at + place.length));
}

/** No path of the machine that this is written on, and no registry host. `machine` are absolute folders. */
export function checkHosts(files, machine) {
  const findings = [];
  for (const [file, text] of files) {
    const onMachine = linesMatching(text, (line) => machine.some((place) => names(line, place)));
    findings.push(...onMachine.map((line) => finding(file, line, 'A path of this machine.')));
    const wanted = file === 'pnpm-lock.yaml' ? anyHost : registryHost;
    findings.push(...linesMatching(text, (line) => wanted.test(line)).map((line) => finding(file, line, 'A registry host: installs must work with any registry.')));
  }
  return findings;
}

function ourManifests(files) {
  return [...files].flatMap(([file, text]) =>
    /^packages\/[^/]+\/package\.json$/.test(file) ? [{ file, manifest: JSON.parse(text) }] : [],
  );
}

/** The Node that comes along is for this repository: nobody who installs a package of ours gets it. */
export function checkBundledNode(files) {
  const bundled = bundledNodePackages(JSON.parse(files.get('package.json') ?? '{}'));
  return ourManifests(files).flatMap(({ file, manifest }) => {
    const lists = [manifest.dependencies, manifest.optionalDependencies, manifest.peerDependencies, manifest.devDependencies];
    const named = lists.flatMap((list) => Object.keys(list ?? {}));
    return named
      .filter((name) => bundled.includes(name) || /^node(-bin)?-(linux|darwin|win)/.test(name))
      .map((name) => finding(file, 1, `${name}: no package of ours brings a Node.`));
  });
}
