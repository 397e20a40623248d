import { SECRET_RULES, type DevsCoreConfig } from '@devs/core';

/**
 * What fits the schema and a person must hear of at each start: a log that promises less than devs does by itself, and
 * what is not what somebody meant, a rule in `sanitize.allowedSecrets` that there is none of. It
 * allows nothing; who waits for it to would look for the fault elsewhere. Tools are not doubted: those of servers are not
 * known yet, and what no tool can be called the schema refuses.
 */
export function describeDoubts({ sanitize, audit }: Pick<DevsCoreConfig, 'sanitize' | 'audit'>): readonly string[] {
  const rules = sanitize.allowedSecrets.flatMap(({ rule }, index) =>
    rule === undefined || SECRET_RULES.some(({ id }) => id === rule) ? [] : [doubtRule(rule, `sanitize.allowedSecrets.${String(index)}.rule`)],
  );
  return audit.mode === 'batch' ? [BATCH, ...rules] : rules;
}

const BATCH = 'audit.mode is "batch": tools run and answers leave before the log has the call, and a crash may take the last ones out of it';

function doubtRule(rule: string, place: string): string {
  const meant = SECRET_RULES.find(({ id }) => id.startsWith(rule) || rule.startsWith(id));
  const hint = meant === undefined ? 'the rules are in docs/reference/secret-rules.md' : `did you mean "${meant.id}"`;
  return `${place} is "${rule}", which is no rule, so it allows nothing; ${hint}`;
}
