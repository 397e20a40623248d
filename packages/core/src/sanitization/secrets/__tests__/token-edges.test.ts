import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { redactText } from '../../json/redact-secrets.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { secretMark } from '../secrets-step.ts';
import { base64Url, HEX, random } from './samples.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
const redact = (text: string) => redactText(text, { detector, toolName: 't' });
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';
const BECH = 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L';

/** Each beginning, the least length of what follows, its alphabet. Written down here: a rule that loses one is noticed. */
const LEAST: readonly (readonly [rule: string, prefixes: string, length: number, alphabet?: string])[] = [
  ['aws-access-key-id', 'AKIA ASIA ABIA ACCA', 16, UPPER],
  ['aws-access-key-id', 'A3T', 17, UPPER],
  ['aws-bedrock-key', 'ABSK', 100],
  ['aws-session-token', 'IQoJb3JpZ2luX2Vj FwoGZXIvYXdz FQoGZXIvYXdz', 64],
  ['google-api-key', 'AIza', 35],
  ['google-client-secret', 'GOCSPX-', 28],
  ['alibaba-access-key', 'LTAI', 16],
  ['digitalocean-token', 'dop_v1_ doo_v1_ dor_v1_', 64, HEX],
  ['cloudflare-token', 'cfut_ cfat_ cfk_', 40],
  ['fly-token', 'fm1_ fm2_ fm1r_ fm1a_ fo1_', 40],
  ['heroku-key', 'HRKU-', 36],
  ['netlify-token', 'nfp_ nfo_ nfb_ nfc_ nfu_', 36],
  ['vercel-token', 'vcp_ vci_ vca_ vcr_ vck_', 24],
  ['render-key', 'rnd_', 28],
  ['planetscale-token', 'pscale_tkn_ pscale_pw_ pscale_oauth_', 32],
  ['neon-key', 'napi_', 40, LOWER],
  ['supabase-key', 'sbp_ sb_secret_', 22],
  ['databricks-token', 'dapi', 32, HEX],
  ['pulumi-token', 'pul-', 40, HEX],
  ['docker-token', 'dckr_pat_ dckr_oat_', 27],
  ['grafana-token', 'glsa_ glc_', 32],
  ['grafana-token', 'eyJrIjoi', 70],
  ['sentry-token', 'sntrys_ sntryu_', 40],
  ['new-relic-key', 'NRAK- NRII- NRIQ- NRRA-', 27],
  ['tailscale-key', 'tskey-auth-', 8],
  ['onepassword-token', 'ops_eyJ', 100],
  ['docker-auth', 'eyJhdXRocyI6', 40],
  ['buildkite-token', 'bkua_ bkct_', 40, LOWER],
  ['circleci-token', 'CCIPAT_ CCIPRJ_', 40],
  ['age-secret-key', 'AGE-SECRET-KEY-1', 58, BECH],
  ['age-secret-key', 'AGE-PLUGIN-YUBIKEY-1', 40, BECH],
  ['github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', 36],
  ['github-token', `github_pat_${random(22)}_`, 40],
  ['gitlab-token', 'glpat- gldt- glptt- glrt- glcbt- glagent- gloas- glsoat- glft- glimt- glffct- glwt- glrtr- GR1348941', 20],
  ['atlassian-token', 'ATATT3 ATCTT3 ATBB ATSTT3', 24],
  ['npm-token', 'npm_', 36],
  ['pypi-token', 'pypi-AgE', 50],
  ['rubygems-key', 'rubygems_', 48, HEX],
  ['nuget-key', 'oy2', 43, LOWER],
  ['clojars-token', 'CLOJARS_', 60, LOWER],
  ['jfrog-token', 'AKCp', 69],
  ['jfrog-token', 'cmVmdGtu', 56],
  ['openai-key', 'sk-proj- sk-svcacct- sk-admin- sk-None- sk-or-v1- sk-lf- sk-', 32],
  ['anthropic-key', 'sk-ant-', 32],
  ['huggingface-token', 'hf_ api_org_', 34],
  ['groq-key', 'gsk_', 48],
  ['xai-key', 'xai-', 70],
  ['perplexity-key', 'pplx-', 40],
  ['replicate-token', 'r8_', 37],
  ['stripe-key', 'sk_live_ rk_live_ sk_test_ rk_test_ sk_org_', 16],
  ['stripe-webhook-secret', 'whsec_', 32],
  ['square-token', 'sq0atp- sq0csp-', 22],
  ['razorpay-key', 'rzp_live_ rzp_test_', 14],
  ['shopify-token', 'shpat_ shpca_ shppa_ shpss_', 32, HEX],
  ['twilio-key', 'SK AC', 32, HEX],
  ['mailgun-key', 'key-', 32, HEX],
  ['brevo-key', `xkeysib-${random(64, HEX)}- xsmtpsib-${random(64, HEX)}-`, 16],
  ['slack-token', 'xoxb- xoxp- xoxa- xoxo- xoxr- xoxs- xoxe- xoxc- xoxd- xapp- xwfp-', 16],
  ['linear-key', 'lin_api_ lin_oauth_', 32],
  ['notion-token', 'ntn_', 40],
  ['notion-token', 'secret_', 43],
  ['postman-key', 'PMAK- PMAT-', 24],
  ['figma-token', 'figd_', 40],
  ['typeform-token', 'tfp_', 44],
  ['hubspot-token', ['na1', 'na2', 'eu1', 'ap1'].map((place) => `pat-${place}-01234567-89ab-cdef-0123-`).join(' '), 12, HEX],
  ['contentful-token', 'CFPAT-', 43],
  ['discord-token', ['123456789012345678', '98765432109876543', '12345678901234567890'].map((id) => `${base64Url(id)}.${random(6)}.`).join(' '), 27],
  ['sendgrid-key', `SG.${random(16)}.`, 32],
  ['google-oauth-token', 'ya29.', 20],
  ['google-oauth-token', '1//0 1\\/\\/0', 40],
  ['google-api-key', 'AQ.Ab8', 30],
  ['vault-token', 'hvs. hvb. hvr.', 24],
  ['terraform-token', `${random(14)}.atlasv1.`, 60],
  ['airtable-token', `pat${random(14)}.`, 64, HEX],
  ['doppler-token', 'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. dp.st.dev_x.', 40],
  ['dynatrace-token', `dt0c01.${random(24, UPPER)}.`, 64, UPPER],
  ['mapbox-token', `sk.${base64Url('{"u":"someone","a":"something-long"}')}.`, 20],
  ['telegram-token', '12345678:AA 1234567890:AA', 33],
  ['azure-client-secret', 'abc8Q~ a~.8Q~', 31],
];

/** Those that end where they end: with one unit more they are something else. */
const EXACT = new Set(
  'AKIA A3T AIza dapi pul- oy2 AKCp cmVmdGtu SK AC key- secret_ 12345678:AA'.split(' '),
);

const rows = LEAST.flatMap(([rule, prefixes, length, alphabet]) =>
  prefixes.split(' ').map((prefix) => ({ rule, prefix, body: random(length, alphabet), longer: random(length + 1, alphabet) })),
);

describe('each beginning of a token', () => {
  it.each(rows)('$rule $prefix: as short as it may be, and no shorter', ({ rule, prefix, body }) => {
    expect(redact(`a ${prefix}${body} b`)).toBe(`a ${secretMark(rule)} b`);
    const shorter = `a ${prefix}${body.slice(1)} b`;
    expect(redact(shorter)).toBe(shorter);
  });

  it.each(rows.filter(({ prefix }) => EXACT.has(prefix)))('$rule $prefix: and no longer', ({ prefix, longer }) => {
    const text = `a ${prefix}${longer} b`;
    expect(redact(text)).toBe(text);
  });
});

describe('the end of a token', () => {
  it.each<[string, string]>([
    ['github-token', `ghp_${random(255)}`],
    ['gitlab-token', `glpat-${random(900)}.ab.cd123`],
    ['atlassian-token', `ATATT3${random(900)}=9F8E`],
    ['pypi-token', `pypi-AgE${random(9_000)}`],
    ['slack-token', `xoxp-${random(60)}%2F${random(900)}`],
    ['slack-token', `xoxe.xoxb-1-${random(280)}`],
    ['slack-token', `xoxe.xoxp-1-${random(280)}`],
    ['openai-key', `sk-proj-${random(900)}`],
    ['anthropic-key', `sk-ant-${random(900)}`],
    ['stripe-key', `sk_live_${random(900)}`],
    ['figma-token', `figd_${random(900)}`],
    ['fly-token', `fm2_${random(9_000)}==`],
    ['sentry-token', `sntrys_${random(900)}_a+b`],
    ['onepassword-token', `ops_eyJ${random(9_000)}`],
    ['grafana-token', `glc_${random(390)}==`],
    ['grafana-token', `eyJrIjoi${random(390)}==`],
    ['aws-bedrock-key', `ABSK${random(290)}==`],
    ['aws-session-token', `IQoJb3JpZ2luX2Vj${random(60)}\\/%2B/+${random(3_000)}==`],
    ['age-secret-key', `AGE-PLUGIN-YUBIKEY-1${random(390, BECH)}`],
    ['tailscale-key', `tskey-client-${random(12)}-${random(32)}`],
    ['postman-key', `PMAT-${random(26)}`],
    ['supabase-key', `sbp_v0_${random(40, HEX)}`],
    ['databricks-token', `dapi${random(32, HEX)}-2`],
    ['google-oauth-token', `ya29.${random(1_900)}`],
    ['docker-auth', `eyJhdXRocyI6${random(9_000)}==`],
    ['private-key', Buffer.from(`-----BEGIN PRIVATE KEY-----\n${random(64)}\n${random(40)}`).toString('base64')],
  ])('%s: all of a long one', (rule, secret) => expect(redact(`a ${secret} b`)).toBe(`a ${secretMark(rule)} b`));

  it('what is base64 over lines, as YAML and JSON hold it', () => {
    const lines = Buffer.from(`-----BEGIN RSA PRIVATE KEY-----\n${random(64)}\n${random(64)}\n${random(20)}`).toString('base64').match(/.{1,64}/g) ?? [];
    for (const lineEnd of ['\n    ', '\r\n\t', '\\n', '\\\\n']) expect(redact(`key: ${lines.join(lineEnd)}\nnext: 1`)).toBe('key: [REDACTED:secret:private-key]\nnext: 1');
    const certificate = Buffer.from(`-----BEGIN CERTIFICATE-----\n${random(64)}`).toString('base64');
    expect(redact(certificate)).toBe(certificate);
  });
});

describe('what looks like a token and is none', () => {
  it.each<[string, string]>([
    ['without a digit, where the prefix is a word', `sk-proj-${'abcdefghijklmnopqrstuvwxyzABCDEF'}`],
    ['without a digit, and mixed', `rnd_${'abcdefghijklmnopqrstuvwxyzABCDEF'}`],
    ['without letters', `LTAI${'1234567890123456'}`],
    ['of too few characters', `sbp_${'ab1'.repeat(10)}`],
    ['of one case', `hf_${'abcdefghijklmnopqrstuvwxyzabcdefgh'}`],
    ['of two kinds and few characters', `hf_${'ab1'.repeat(12)}`],
    ['of a row of X', `ghp_${'X'.repeat(10)}${random(26)}`],
    ['that says whose it is', `glpat-your_${random(20)}`],
    ['an account that is no number', `${base64Url('12345678901234567a')}.${random(6)}.${random(30)}`],
    ['an account of 16 digits', `${base64Url('9876543210987654')}.${random(6)}.${random(30)}`],
    ['an account of 21 digits', `${base64Url('987654321098765432109')}.${random(6)}.${random(30)}`],
    ['behind another letter', `xSG.${random(22)}.${random(43)}`],
    ['behind another digit', `4hvs.${random(40)}`],
  ])('%s', (_name, text) => expect(redact(`a ${text} b`)).toBe(`a ${text} b`));

  it.each(['\\n', '\\r', '\\t', '\\b', '\\v', '\\f', '\\0', '\\x1b', '\\u001b', '%3D', '[31m', '[0;31m', '[?25h', '[m', '_', '-'])('though %s stands before it, it is one', (left) => {
    expect(redact(`a ${left}ghp_${random(36)}`)).toBe(`a ${left}[REDACTED:secret:github-token]`);
    if (/^[\\%]/.test(left)) expect(redact(`a ${left}SG.${random(22)}.${random(43)}`)).toBe(`a ${left}[REDACTED:secret:sendgrid-key]`);
  });

  it('nor is it hidden by a backslash that belongs to no escape, or what stands behind its padding', () => {
    expect(redact(`C:\\nfp_${random(36)}`)).toBe('C:\\[REDACTED:secret:netlify-token]');
    expect(redact(`a glc_${random(40)}==next b`)).toBe('a [REDACTED:secret:grafana-token]next b');
  });
});
