/** What a published manifest must not hold, each with the reason. */
const forbiddenInManifest = [
  [/"(workspace|catalog):/, 'a version that only this workspace understands'],
  [/devs-source/, 'the condition that points at sources'],
  [/"node-(bin-)?(linux|darwin|win)/, 'a Node that comes along'],
];

const forbiddenFiles = [/__tests__\//, /\.tsbuildinfo$/, /\.test\./, /(^|\/)\.env/, /\.db$/];

/** Problems of a packed package: its manifest's text and the paths that it carries. */
export function packProblems(manifestText, paths) {
  const manifest = forbiddenInManifest.filter(([pattern]) => pattern.test(manifestText)).map(([, reason]) => `the manifest holds ${reason}`);
  const carried = paths.filter((file) => forbiddenFiles.some((pattern) => pattern.test(file))).map((file) => `it carries ${file}`);
  const { bin = {}, exports = {} } = JSON.parse(manifestText);
  const targets = [...Object.values(bin), ...Object.values(exports).flatMap((conditions) => Object.values(conditions))];
  const missing = targets.map((target) => target.replace(/^\.\//, '')).filter((target) => !paths.includes(target));
  return [...manifest, ...carried, ...missing.map((file) => `it lacks ${file}`)];
}
