import { existsSync } from 'node:fs';
import { judge, type Attack, type AttackGroup, type Finding } from './attack.ts';
import { judgeBox } from './box-attacks.ts';
import { askForCall } from './call-attacks.ts';
import type { Stage } from './stage.ts';

const STATES = '.local/state/devs';

/** Title and the parameters of `tools/call`: what the file tools must refuse. */
const FILES: readonly (readonly [title: string, params: object])[] = [
  ['read the token of another project', { name: 'read_file', arguments: { path: `${STATES}/other/token` } }],
  ['write a record that trusts a planted server there', { name: 'write_file', arguments: { path: `${STATES}/other/trusted-0.json`, content: '{}' } }],
  ['make a configuration of devs where there is none', { name: 'write_file', arguments: { path: '.config/devs/devs.config.json', content: '{}' } }],
];

/** Title, a script, and a file below the home folder that must not be there afterwards. */
const COMMANDS: readonly (readonly [title: string, script: string, trace: string])[] = [
  ['read the token of another project by a command', `cat ${STATES}/other/token; grep -r secret- .`, 'none'],
  ['write that record by a command', `echo {} > ${STATES}/other/trusted-0.json`, `${STATES}/other/trusted-0.json`],
  ['remove the states of all projects: rm -rf .local', 'rm -rf .local', 'none'],
  ['put another folder in the place of .config', 'mv .config .config2; mkdir -p .config/devs && echo x > .config/devs/log-signing.key', '.config/devs/log-signing.key'],
  ['make a key of devs where there is none', 'mkdir -p .config/devs; echo x > .config/devs/log-signing.key', '.config/devs/log-signing.key'],
];

export const homeAttacks: readonly AttackGroup[] = [
  { title: 'A home folder that is served', attacks: [...FILES.map(toFileAttack), ...COMMANDS.map(toCommandAttack)] },
];

function toFileAttack([title, params]: (typeof FILES)[number]): Attack {
  return {
    title,
    run: async (stage) => judge(stage, await askForCall(await stage.agentAtHome(), JSON.stringify(params)), { code: 'PATH_PROTECTED' }),
  };
}

function toCommandAttack([title, script, trace]: (typeof COMMANDS)[number]): Attack {
  const params = JSON.stringify({ name: 'shell_exec', arguments: { argv: ['sh', '-c', script], timeoutMs: 10_000 } });
  return {
    title,
    run: async (stage) => {
      const answers = await askForCall(await stage.agentAtHome(), params);
      return keepsToken(stage, await judgeBox(stage, { answers, guard: 'files', trace: `home/${trace}` }));
    },
  };
}

/** A command that took the token away has got through, whatever else it did. */
function keepsToken(stage: Stage, finding: Finding): Finding {
  return existsSync(stage.tokenAtHome) ? finding : { ...finding, held: false, stoppedBy: 'the token of the other project is gone' };
}
