import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '@devs/core';
import { refusedBefore, type Attack, type AttackGroup, type Finding } from './attack.ts';
import type { Stage } from './stage.ts';

const LOOSE = JSON.stringify({ limits: { toolTimeoutMs: 86_400_000 }, audit: { durability: 'process' } });

const planted: Attack = {
  title: 'bring a devs.config.json along in the repository',
  run: async (stage) => {
    await writeFile(path.join(stage.root, 'devs.config.json'), LOOSE);
    return isNotInForce(stage, []);
  },
};

const named: Attack = {
  title: 'bring a .mcp.json along that names it',
  run: async (stage) => {
    await writeFile(path.join(stage.root, 'other.json'), LOOSE);
    return isNotInForce(stage, ['--config', path.join(stage.root, 'other.json')]);
  },
};

const answeredByPipe: Attack = {
  title: 'pipe “yes” into the question of trust',
  run: async (stage) => {
    const { code } = await stage.devs(['config', 'trust'], 'yes\nyes\n');
    const finding = await isNotInForce(stage, []);
    return { ...finding, held: finding.held && code !== 0, stoppedBy: 'asked on the terminal alone' };
  },
};

export const configurationAttacks: readonly AttackGroup[] = [
  { title: 'A configuration planted in the project', attacks: [planted, named, answeredByPipe] },
];

async function isNotInForce(stage: Stage, args: readonly string[]): Promise<Finding> {
  const { stdout } = await stage.devs(['config', 'print', '--json', ...args]);
  const said: unknown = JSON.parse(stdout);
  const keys: unknown = isRecord(said) ? said['keys'] : undefined;
  const found = Array.isArray(keys) ? keys.filter(isRecord).find(({ key }) => key === 'limits.toolTimeoutMs') : undefined;
  const isDefault = found?.['source'] === 'default' && found['value'] === 60_000;
  return refusedBefore(isDefault, isDefault ? 'not trusted: safe defaults in force' : 'it is in force');
}
