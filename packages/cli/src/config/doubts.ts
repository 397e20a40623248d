import { nameSome, SECRET_RULES, toNameKey, type DevsCoreConfig } from '@devs/core';

/**
 * What fits the schema and a person must hear of at each start: a log that promises less than devs does by itself, and
 * what is not what somebody meant, a rule in `sanitize.allowedSecrets` that there is none of, a server whose namespace is
 * another's. It allows nothing; who waits for it to would look for the fault elsewhere. Tools are not doubted: those of
 * servers are not known yet, and what no tool can be called the schema refuses.
 */
export function describeDoubts({ sanitize, audit, files, mcpServers }: Pick<DevsCoreConfig, 'sanitize' | 'audit' | 'files' | 'mcpServers'>): readonly string[] {
  const rules = sanitize.allowedSecrets.flatMap(({ rule }, index) =>
    rule === undefined || SECRET_RULES.some(({ id }) => id === rule) ? [] : [doubtRule(rule, `sanitize.allowedSecrets.${String(index)}.rule`)],
  );
  const lifted = files.writable.length === 0 ? [] : [`files.writable lets tools write ${nameSome(files.writable.map((name) => JSON.stringify(name)))}, which start programs outside of every sandbox`];
  return [...(audit.mode === 'batch' ? [BATCH] : []), ...lifted, ...rules, ...doubtNamespaces(mcpServers)];
}

/** Of two with one namespace the second is offered nothing, also while the first is down: see `PublicNames`. */
function doubtNamespaces(servers: DevsCoreConfig['mcpServers']): readonly string[] {
  const enabled = Object.entries(servers).filter(([, { disabled }]) => disabled !== true);
  const spaces = enabled.map(([name, { namespace = name }]) => [name, toNameKey(namespace)] as const);
  return spaces.flatMap(([name, namespace]) => {
    const first = spaces.find(([, other]) => other === namespace)?.[0] ?? name;
    if (namespace === '' || first === name) return [];
    return [`the namespace of the server ${nameSome([name])} is that of ${nameSome([first])}, which stands first, so none of its tools and prompts are offered; give it another "namespace"`];
  });
}

const BATCH = 'audit.mode is "batch": tools run and answers leave before the log has the call, and a crash may lose the last ones';

function doubtRule(rule: string, place: string): string {
  const meant = SECRET_RULES.find(({ id }) => id.startsWith(rule) || rule.startsWith(id));
  const hint = meant === undefined ? 'the rules are in docs/reference/secret-rules.md' : `did you mean "${meant.id}"`;
  return `${place} is "${rule}", an unknown rule, so it allows nothing; ${hint}`;
}
