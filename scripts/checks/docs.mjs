import { checkAgentNotes } from './agent-notes.mjs';
import { checkCommands } from './commands.mjs';
import { checkGuards } from './guards.mjs';
import { checkLinks } from './links.mjs';
import { checkMap } from './map.mjs';
import { checkAgentsFile, checkDecisions, checkErrorsPage, checkRequirements } from './pages.mjs';
import { checkQuoted } from './quoted.mjs';

const checks = [checkLinks, checkCommands, checkAgentNotes, checkDecisions, checkAgentsFile, checkErrorsPage, checkRequirements, checkQuoted, checkMap, (files) => checkGuards(files)];

/** The docs say what is there. */
export function checkDocs(files) {
  return checks.flatMap((check) => check(files));
}
