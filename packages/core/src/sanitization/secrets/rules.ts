import { APPLICATION_TOKENS } from './application-tokens.ts';
import { BUSINESS_TOKENS } from './business-tokens.ts';
import { ENDED_RULES } from './ended-tokens.ts';
import { JOINED_RULES } from './joined-rules.ts';
import { MODEL_TOKENS } from './model-tokens.ts';
import { NAMED_RULES } from './named-rules.ts';
import { PLACED_RULES } from './placed-values.ts';
import type { SecretRule } from './secret-rule.ts';
import { SERVICE_TOKENS } from './service-tokens.ts';
import { TOOL_TOKENS } from './tool-tokens.ts';

export const TOKEN_RULES = [...SERVICE_TOKENS, ...APPLICATION_TOKENS, ...MODEL_TOKENS, ...TOOL_TOKENS, ...BUSINESS_TOKENS];

/** Rules that are code of their own, each in the file that its id suggests. */
const OTHER_RULES: readonly SecretRule[] = [
  { id: 'private-key', title: 'Private key: PEM, OpenSSH, OpenPGP, PuTTY' },
  { id: 'json-web-token', title: 'JSON Web Token' },
  { id: 'url-password', title: 'Password in a URL or connection string' },
  { id: 'azure-key', title: 'Azure service key or DevOps token' },
  { id: 'command-password', title: 'Password in a command: curl -u, mysql -p' },
  { id: 'kubernetes-secret', title: 'Value of a Kubernetes secret' },
  { id: 'cookie', title: 'Session in a Cookie header' },
  { id: 'netrc-password', title: 'Password in a netrc file' },
  { id: 'azure-sas-signature', title: 'Signature of an Azure shared access URL' },
  { id: 'injected', title: 'Value that the configuration of devs hands to a server' },
];

/**
 * Every rule once, by id. Ids are stable: configurations allow findings by them, and answers show them in
 * `[REDACTED:secret:<id>]`.
 */
export const SECRET_RULES: readonly SecretRule[] = [
  ...new Map(
    [...TOKEN_RULES, ...JOINED_RULES, ...NAMED_RULES, ...ENDED_RULES, ...PLACED_RULES, ...OTHER_RULES].map(({ id, title }) => [id, Object.freeze({ id, title })]),
  ).values(),
].sort((a, b) => (a.id < b.id ? -1 : 1));
