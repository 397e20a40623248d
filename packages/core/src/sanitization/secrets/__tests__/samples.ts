import { Buffer } from 'node:buffer';
import { sampleOf } from './form-samples.ts';
import { PROVIDER_FORMS } from './provider-forms.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
export const HEX = '0123456789abcdef';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Characters that look random and are the same in every run. Tokens are put together here: none stands in a file. */
export function random(length: number, alphabet = LETTERS): string {
  let state = length * 7_919 + alphabet.length;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    text += alphabet[(state >>> 8) % alphabet.length] ?? '';
  }
  // Every token that is asked for a digit has one.
  return alphabet === LETTERS ? `${text.slice(0, -2)}7q` : text;
}

export const base64Url = (text: string): string => Buffer.from(text).toString('base64url');

export const jsonWebToken = (header: string): string => `${base64Url(header)}.${base64Url('{"sub":"1234567890"}')}.${random(43)}`;

export interface Sample {
  readonly rule: string;
  /** What belongs behind the secret for it to be one. */
  readonly end?: string;
  /** What gives the secret away, and stays. */
  readonly before: string;
  readonly secret: string;
}

/** `[rule, prefix, length, alphabet]` of tokens that are known by their beginning. */
const TOKENS: readonly (readonly [string, string, number, string?])[] = [
  ['aws-access-key-id', 'AKIA', 16, UPPER], ['aws-access-key-id', 'ASIA', 16, UPPER], ['aws-bedrock-key', 'ABSK', 110],
  ['google-api-key', 'AIza', 35], ['google-client-secret', 'GOCSPX-', 28], ['alibaba-access-key', 'LTAI', 20],
  ['digitalocean-token', 'dop_v1_', 64, HEX], ['cloudflare-token', 'cfut_', 48], ['fly-token', 'fm2_', 700], ['heroku-key', 'HRKU-', 60],
  ['netlify-token', 'nfp_', 36], ['vercel-token', 'vcp_', 56], ['render-key', 'rnd_', 28], ['planetscale-token', 'pscale_pw_', 43],
  ['neon-key', 'napi_', 64, LOWER], ['supabase-key', 'sbp_', 40, HEX], ['supabase-key', 'sb_secret_', 31], ['databricks-token', 'dapi', 32, HEX],
  ['pulumi-token', 'pul-', 40, HEX], ['docker-token', 'dckr_pat_', 27], ['grafana-token', 'glsa_', 41], ['grafana-token', 'glc_', 120],
  ['grafana-token', 'eyJrIjoi', 80], ['sentry-token', 'sntrys_', 150], ['new-relic-key', 'NRAK-', 27, UPPER], ['tailscale-key', 'tskey-auth-', 20],
  ['onepassword-token', 'ops_eyJ', 800], ['buildkite-token', 'bkua_', 40, LOWER], ['circleci-token', 'CCIPAT_', 62],
  ['age-secret-key', 'AGE-SECRET-KEY-1', 58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'], ['age-secret-key', 'AGE-PLUGIN-YUBIKEY-1', 60, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'],
  ['github-token', 'ghp_', 36], ['github-token', 'gho_', 36], ['github-token', 'ghu_', 36], ['github-token', 'ghs_', 36], ['github-token', 'ghr_', 36],
  ['github-token', `github_pat_${random(22)}_`, 59], ['gitlab-token', 'glpat-', 20], ['gitlab-token', 'gldt-', 20], ['gitlab-token', 'GR1348941', 20],
  ['atlassian-token', 'ATATT3', 186], ['npm-token', 'npm_', 36], ['pypi-token', 'pypi-AgE', 180], ['rubygems-key', 'rubygems_', 48, HEX],
  ['nuget-key', 'oy2', 43, LOWER], ['clojars-token', 'CLOJARS_', 60, LOWER], ['jfrog-token', 'AKCp', 69], ['jfrog-token', 'cmVmdGtu', 56],
  ['openai-key', 'sk-', 48], ['openai-key', 'sk-proj-', 120], ['openai-key', 'sk-svcacct-', 60], ['openai-key', 'sk-or-v1-', 64, HEX],
  ['anthropic-key', 'sk-ant-api03-', 93], ['anthropic-key', 'sk-ant-admin01-', 93], ['huggingface-token', 'hf_', 34], ['devs-token', `devs_${random(12, HEX)}_`, 43], ['groq-key', 'gsk_', 52],
  ['xai-key', 'xai-', 80], ['perplexity-key', 'pplx-', 48], ['replicate-token', 'r8_', 37], ['stripe-key', 'sk_live_', 24], ['stripe-key', 'rk_live_', 99],
  ['stripe-webhook-secret', 'whsec_', 32], ['square-token', 'sq0atp-', 22], ['razorpay-key', 'rzp_live_', 14], ['shopify-token', 'shpat_', 32, HEX],
  ['twilio-key', 'SK', 32, HEX], ['twilio-key', 'AC', 32, HEX], ['mailgun-key', 'key-', 32, HEX], ['brevo-key', `xkeysib-${random(64, HEX)}-`, 16],
  ['slack-token', 'xoxb-123456789012-', 24], ['slack-token', 'xapp-1-A0123456789-', 64], ['linear-key', 'lin_api_', 40], ['notion-token', 'ntn_', 46],
  ['notion-token', 'secret_', 43], ['postman-key', `PMAK-${random(24, HEX)}-`, 34], ['figma-token', 'figd_', 40], ['typeform-token', 'tfp_', 59],
  ['hubspot-token', 'pat-na1-01234567-89ab-cdef-0123-', 12, HEX], ['contentful-token', 'CFPAT-', 43],
  ['discord-token', `${base64Url('123456789012345678')}.${random(6)}.`, 38],
  ['aws-session-token', 'IQoJb3JpZ2luX2Vj', 200], ['docker-auth', 'eyJhdXRocyI6', 120], ['google-oauth-token', '1//0g', 60], ['google-api-key', 'AQ.Ab8', 46],
  ['sendgrid-key', `SG.${random(22)}.`, 43], ['google-oauth-token', 'ya29.', 120], ['vault-token', 'hvs.', 95], ['vault-token', 'hvb.', 140],
  ['terraform-token', `${random(14)}.atlasv1.`, 67], ['airtable-token', `pat${random(14)}.`, 64, HEX], ['doppler-token', 'dp.pt.', 43],
  ['dynatrace-token', `dt0c01.${random(24, UPPER)}.`, 64, UPPER], ['mapbox-token', `sk.${base64Url('{"u":"someone","a":"something-long"}')}.`, 22],
  ['slack-token', 'xoxe.xoxp-1-', 120], ['telegram-token', '123456789:AA', 33], ['azure-client-secret', 'abc8Q~', 34],
];

/** Each on one line: rule, what stands before, the secret. */
const WRITTEN: readonly Sample[] = [
  ...TOKENS.map(([rule, prefix, length, alphabet]) => ({ rule, before: '', secret: prefix + random(length, alphabet) })),
  { rule: 'json-web-token', before: '', secret: jsonWebToken('{"alg":"HS256","typ":"JWT"}') },
  { rule: 'json-web-token', before: '', secret: jsonWebToken('{ "typ": "JWT" }') },
  { rule: 'json-web-token', before: '', secret: jsonWebToken('{\n  "alg": "none"\n}') },
  { rule: 'aws-secret-access-key', before: 'aws_secret_access_key = ', secret: `${random(37)}/+a` },
  { rule: 'aws-secret-access-key', before: 'export AWS_SECRET_ACCESS_KEY="', secret: random(40) },
  { rule: 'aws-secret-access-key', before: '"SecretAccessKey": "', secret: `/${random(12)}/${random(12)}+${random(13)}` },
  { rule: 'azure-storage-key', before: 'AccountName=a;AccountKey=', secret: `${random(86)}==` },
  { rule: 'azure-storage-key', before: 'Endpoint=sb://a/;SharedAccessKey=', secret: `${random(43)}=` },
  { rule: 'azure-sas-signature', before: 'https://a.blob.example/c?sv=2022-11-02&sig=', secret: `${random(43)}%3D` },
  { rule: 'authorization', before: 'Authorization: Bearer ', secret: random(30) },
  { rule: 'authorization', before: "headers['Authorization'] = 'Bearer ", secret: random(30) },
  { rule: 'authorization', before: 'authorization: basic ', secret: Buffer.from('alice:secret').toString('base64') },
  { rule: 'azure-key', before: '', secret: `${random(52)}JQQJ99${random(26)}` },
  { rule: 'azure-key', before: '', secret: `${random(52)}JQQJ99${random(18)}AZDO${random(4, HEX)}` },
  { rule: 'api-key-header', before: 'x-api-key: ', secret: random(40) },
  { rule: 'api-key-header', before: 'Ocp-Apim-Subscription-Key: ', secret: random(32, HEX) },
  { rule: 'cookie', before: 'Cookie: theme=dark; sid=', secret: random(32) },
  { rule: 'wireguard-key', before: 'PrivateKey = ', secret: `${random(42)}8=` },
  { rule: 'npmrc-auth', before: '//npm.example/:_authToken=', secret: random(36) },
  { rule: 'npmrc-auth', before: '//npm.example/:_auth=', secret: random(24) },
  { rule: 'npmrc-auth', before: '//npm.example/:_password="', secret: `${random(28)}==` },
  { rule: 'docker-auth', before: '{"auth":"', secret: Buffer.from(`user:${random(20)}`).toString('base64') },
  { rule: 'private-key', before: 'client-key-data: ', secret: Buffer.from(`-----BEGIN EC PRIVATE KEY-----\n${random(64)}\n`).toString('base64') },
  { rule: 'url-password', before: 'postgres://app:', secret: 'p%40ss-w0rd' },
  { rule: 'url-password', before: 'redis://:', secret: 'hunter2' },
  { rule: 'slack-webhook', before: 'https://hooks.slack.com/services/T00000000/B00000000/', secret: random(24) },
  { rule: 'discord-webhook', before: 'https://discord.com/api/webhooks/123456789012345678/', secret: random(68) },
  { rule: 'private-key', before: '-----BEGIN RSA PRIVATE KEY-----\n', secret: `${random(64)}\n${random(64)}\nAb3=` },
];

/** In the lines of a file alone, and in commands: with tests of their own. */
const BY_LINE = ['kubernetes-secret', 'command-password'];

const WRITTEN_RULES = new Set([...WRITTEN.map(({ rule }) => rule), ...BY_LINE]);

/** Of each rule at least one: those written here, and of the forms of providers what is not among them. */
export const SAMPLES: readonly Sample[] = [
  ...WRITTEN,
  ...PROVIDER_FORMS.filter(([rule]) => !WRITTEN_RULES.has(rule)).map(([rule, form]) => ({ rule, ...sampleOf(form, 1) })),
];

/** What belongs behind a secret for it to be one. */
export function behind(rule: string): string {
  return rule === 'url-password' ? '@db.example:5432/app' : '';
}
