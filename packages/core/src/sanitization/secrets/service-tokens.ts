import { Buffer } from 'node:buffer';
import type { TokenRule } from './secret-rule.ts';
import { mixed } from './token-shapes.ts';

/** Cloud providers, hosting, infrastructure, data stores. */
export const SERVICE_TOKENS: readonly TokenRule[] = [
  { id: 'aws-access-key-id', title: 'AWS access key id', prefixes: ['AKIA', 'ASIA', 'ABIA', 'ACCA'], body: '[A-Z0-9]{16}(?![A-Za-z0-9])' },
  { id: 'aws-access-key-id', title: 'AWS access key id', prefixes: ['A3T'], body: '[A-Z0-9]{17}(?![A-Za-z0-9])' },
  { id: 'aws-bedrock-key', title: 'AWS Bedrock API key', prefixes: ['ABSK'], body: '[A-Za-z0-9+/]{100}', rest: '[A-Za-z0-9+/]{0,200}={0,2}' },
  {
    id: 'aws-session-token',
    title: 'AWS session token',
    prefixes: ['IQoJb3JpZ2luX2Vj', 'FwoGZXIvYXdz', 'FQoGZXIvYXdz'],
    body: '(?:[A-Za-z0-9+%]|\\\\?/){64}',
    rest: '(?:[A-Za-z0-9+%]|\\\\?/){0,4000}={0,2}',
  },
  {
    id: 'google-api-key',
    title: 'Google API key',
    prefixes: ['AIza'],
    body: '[A-Za-z0-9_-]{35}(?![A-Za-z0-9])',
  },
  { id: 'google-client-secret', title: 'Google OAuth client secret', prefixes: ['GOCSPX-'], body: '[A-Za-z0-9_-]{28}' },
  { id: 'alibaba-access-key', title: 'Alibaba Cloud access key id', prefixes: ['LTAI'], body: '[A-Za-z0-9]{16,20}(?![A-Za-z0-9])', accepts: mixed },
  { id: 'digitalocean-token', title: 'DigitalOcean token', prefixes: ['dop_v1_', 'doo_v1_', 'dor_v1_'], body: '[a-f0-9]{64}' },
  { id: 'cloudflare-token', title: 'Cloudflare token', prefixes: ['cfut_', 'cfat_', 'cfk_'], body: '[A-Za-z0-9]{40,64}' },
  { id: 'fly-token', title: 'Fly.io token', prefixes: ['fm1_', 'fm2_', 'fm1r_', 'fm1a_', 'fo1_'], body: '[A-Za-z0-9+/_=-]{40,64}', rest: '[A-Za-z0-9+/_=-]{0,10000}' },
  { id: 'heroku-key', title: 'Heroku API key', prefixes: ['HRKU-'], body: '[A-Za-z0-9_-]{36,80}' },
  { id: 'netlify-token', title: 'Netlify token', prefixes: ['nfp_', 'nfo_', 'nfb_', 'nfc_', 'nfu_'], body: '[A-Za-z0-9]{36,64}' },
  { id: 'vercel-token', title: 'Vercel token', prefixes: ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], body: '[A-Za-z0-9_-]{24,80}' },
  { id: 'render-key', title: 'Render API key', prefixes: ['rnd_'], body: '[A-Za-z0-9]{28,48}', accepts: mixed },
  { id: 'planetscale-token', title: 'PlanetScale token or password', prefixes: ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'], body: '[A-Za-z0-9_=.-]{32,64}' },
  { id: 'neon-key', title: 'Neon API key', prefixes: ['napi_'], body: '[a-z0-9]{40,80}' },
  { id: 'supabase-key', title: 'Supabase token or secret key', prefixes: ['sbp_', 'sb_secret_'], body: '(?:v\\d_)?[A-Za-z0-9_-]{22,80}', accepts: mixed },
  { id: 'databricks-token', title: 'Databricks token', prefixes: ['dapi'], body: '[a-f0-9]{32}(?:-\\d)?(?![A-Za-z0-9])' },
  { id: 'pulumi-token', title: 'Pulumi token', prefixes: ['pul-'], body: '[a-f0-9]{40}(?![A-Za-z0-9])' },
  { id: 'docker-token', title: 'Docker token', prefixes: ['dckr_pat_', 'dckr_oat_'], body: '[A-Za-z0-9_-]{27,64}' },
  { id: 'grafana-token', title: 'Grafana token', prefixes: ['glsa_', 'glc_'], body: '[A-Za-z0-9+/_]{32}', rest: '[A-Za-z0-9+/_]{0,368}={0,2}' },
  { id: 'grafana-token', title: 'Grafana token', prefixes: ['eyJrIjoi'], body: '[A-Za-z0-9+/]{70}', rest: '[A-Za-z0-9+/]{0,330}={0,3}' },
  { id: 'sentry-token', title: 'Sentry token', prefixes: ['sntrys_', 'sntryu_'], body: '[A-Za-z0-9+/=_-]{40,64}', rest: '[A-Za-z0-9+/=_-]{0,1000}' },
  { id: 'new-relic-key', title: 'New Relic key', prefixes: ['NRAK-', 'NRII-', 'NRIQ-', 'NRRA-', 'NRAA-'], body: '[A-Za-z0-9_-]{27,64}' },
  { id: 'new-relic-key', title: 'New Relic key', prefixes: ['NRJS-'], body: '[a-f0-9]{19}(?![A-Za-z0-9])' },
  { id: 'tailscale-key', title: 'Tailscale key', prefixes: ['tskey-'], body: '[a-z]{2,20}-[A-Za-z0-9]{8,40}(?:[_-][A-Za-z0-9_]{1,64})?' },
  { id: 'onepassword-token', title: '1Password service account token', prefixes: ['ops_eyJ'], body: '[A-Za-z0-9+/_=-]{100}', rest: '[A-Za-z0-9+/_=-]{0,10000}' },
  {
    id: 'docker-auth',
    title: 'Credentials in a Docker configuration',
    // Base64 of `{"auths":`, as Kubernetes keeps a whole configuration.
    prefixes: ['eyJhdXRocyI6'],
    body: '[A-Za-z0-9+/]{40}',
    rest: '[A-Za-z0-9+/]{0,20000}={0,2}',
  },
  { id: 'buildkite-token', title: 'Buildkite token', prefixes: ['bkua_', 'bkct_'], body: '[a-z0-9]{40}' },
  { id: 'circleci-token', title: 'CircleCI token', prefixes: ['CCIPAT_', 'CCIPRJ_'], body: '[A-Za-z0-9_]{40,100}' },
  { id: 'age-secret-key', title: 'age secret key', prefixes: ['AGE-SECRET-KEY-1'], body: '[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}' },
  { id: 'age-secret-key', title: 'age secret key', prefixes: ['AGE-PLUGIN-'], body: '[A-Z0-9]{2,24}-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{40}', rest: '[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{0,360}' },
  {
    id: 'private-key',
    title: 'Private key: PEM, OpenSSH, OpenPGP, PuTTY',
    // Base64 of `-----BEGIN `, as a kubeconfig and the secrets of Kubernetes hold a whole file; in one line or in many.
    prefixes: ['LS0tLS1CRUdJTi'],
    body: '[A-Za-z0-9+/]{50}',
    rest: '[A-Za-z0-9+/]{0,100000}={0,2}(?:(?:\\\\{1,4}n|\\r?\\n)[ \\t]{0,40}[A-Za-z0-9+/]{60,80}){0,2000}(?:(?:\\\\{1,4}n|\\r?\\n)[ \\t]{0,40}[A-Za-z0-9+/]{1,80}={1,2})?',
    accepts: namesKey,
  },
];

function namesKey(body: string, prefix: string): boolean {
  return Buffer.from(prefix + body, 'base64').includes('PRIVATE KEY');
}
