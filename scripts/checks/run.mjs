// usage: node scripts/checks/run.mjs [--write] [layers] [shape] [docs] [surface] [hygiene] [pins] [licences] [patterns]
// Without names: all of them. --write checks nothing: it brings up to date what is derived from the packages, which is the
// pinned public surface, the references of each tsconfig.json, and the rows of packages in the map.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { inRepository, repository } from '../lib/repository.mjs';
import { checkCycles } from './cycles.mjs';
import { checkDocs } from './docs.mjs';
import { readRepository } from './files.mjs';
import { checkBundledNode, checkHosts } from './hygiene.mjs';
import { checkLayers } from './layers.mjs';
import { checkLicences, installedLicences } from './licences.mjs';
import { mapPage, writeMap } from './map.mjs';
import { checkPatterns } from './patterns.mjs';
import { checkPins } from './pins.mjs';
import { checkReferences, staleReferences } from './references.mjs';
import { checkShape } from './shape.mjs';
import { checkSurface, currentSurface, writeSurface } from './surface.mjs';
import { checkUnused } from './unused.mjs';
import { checkRetiredWords } from './words.mjs';

/** Folders that only this machine has: where the checkout is, where it was cloned from, the user's home. */
function machineFolders() {
  const origin = spawnSync('git', ['config', 'remote.origin.url'], { cwd: repository, encoding: 'utf8' }).stdout.trim();
  const own = [repository, os.homedir(), ...(path.isAbsolute(origin) ? [origin] : [])];
  // `/root` and the like say nothing about a machine, and tests of leaks name them.
  return own.filter((folder) => folder.split(path.sep).length > 2);
}

const checks = {
  layers: (files) => [...checkLayers(files), ...checkCycles(files), ...checkUnused(files), ...checkReferences(files)],
  shape: (files) => [...checkShape(files), ...checkRetiredWords(files)],
  docs: checkDocs,
  surface: (files) => checkSurface(files),
  hygiene: (files) => [...checkHosts(files, machineFolders()), ...checkBundledNode(files)],
  pins: checkPins,
  licences: () => checkLicences(installedLicences(repository)),
  patterns: (files) => checkPatterns(files),
};

function runCheck(name, files) {
  const findings = checks[name](files);
  for (const { file, line, message } of findings) process.stderr.write(`${name}  ${file}:${line}  ${message}\n`);
  process.stderr.write(`${name}: ${findings.length === 0 ? 'ok' : `${findings.length} findings`}\n`);
  return findings.length;
}

function writeDerived(files) {
  writeFileSync(inRepository('scripts', 'checks', 'surface.config.mjs'), writeSurface(currentSurface(files)));
  for (const [file, text] of staleReferences(files)) writeFileSync(inRepository(file), text);
  writeFileSync(inRepository(mapPage), writeMap(files));
}

const asked = process.argv.slice(2).filter((argument) => argument !== '--');
const names = asked.filter((argument) => argument !== '--write');
const unknown = names.find((name) => !(name in checks));
const files = readRepository(repository);
if (unknown !== undefined) {
  process.stderr.write(`There is no check called ${unknown}. There are: ${Object.keys(checks).join(' ')}.\n`);
  process.exitCode = 64;
} else if (asked.includes('--write')) {
  writeDerived(files);
} else {
  const wanted = names.length === 0 ? Object.keys(checks) : names;
  const counts = wanted.map((name) => runCheck(name, files));
  process.exitCode = counts.some((count) => count > 0) ? 1 : 0;
}
