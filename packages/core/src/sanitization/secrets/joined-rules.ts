import { isBasic } from './named-rules.ts';
import { LEFT_EDGE, looksRandom, OWN_EDGE, type JoinedRule } from './secret-rule.ts';
import { dense, denseLower, denseShort } from './token-shapes.ts';

/** PHP escapes each slash in JSON. */
const SLASH = '\\\\{0,4}/';

const UUID = '[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}';
/** Behind a token whose length is exact. */
const END = '(?![A-Za-z0-9_-])';
/** One letter and a dot are in every line of some programs: a call, a member or another name goes on there, a token does not. */
const NO_MEMBER = '(?![A-Za-z0-9_.([-]|[ \\t]{0,4}[=?])';

/** Secrets whose first word is short, or whose place tells what they are. */
export const JOINED_RULES: readonly JoinedRule[] = [
  whole('sendgrid-key', 'SendGrid key', { after: '.', before: 'SG', body: '[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}' }),
  whole('google-oauth-token', 'Google OAuth token', { after: '.', before: 'ya29', body: '[A-Za-z0-9_-]{20,2000}' }),
  whole('google-oauth-token', 'Google OAuth token', { after: '/', before: '1\\\\{0,4}/\\\\{0,4}', body: '0[A-Za-z0-9_-]{40,250}' }),
  whole('google-api-key', 'Google API key', { after: '.', before: 'AQ', body: 'Ab8[A-Za-z0-9_-]{30,100}' }),
  whole('vault-token', 'Vault token', { after: '.', before: 'hv[sbr]', body: '[A-Za-z0-9_-]{24,300}' }),
  whole('terraform-token', 'Terraform Cloud token', { after: '.', before: '[A-Za-z0-9]{14}\\.atlasv1', body: '[A-Za-z0-9_-]{60,72}' }),
  whole('airtable-token', 'Airtable token', { after: '.', before: 'pat[A-Za-z0-9]{14}', body: '[a-f0-9]{64}' }),
  whole('doppler-token', 'Doppler token', { after: '.', before: 'dp\\.(?:pt|st|ct|sa|scim|audit)(?:\\.[a-z0-9_-]{2,35})?', body: '[A-Za-z0-9]{40,44}' }),
  whole('dynatrace-token', 'Dynatrace token', { after: '.', before: 'dt0[a-z]\\d{2}\\.[A-Z0-9]{24}', body: '[A-Z0-9]{64}' }),
  whole('mapbox-token', 'Mapbox secret token', { after: '.', before: 'sk', body: 'eyJ[A-Za-z0-9_-]{30,300}\\.[A-Za-z0-9_-]{20,64}' }),
  whole('vault-token', 'Vault token', { after: '.', before: `${OWN_EDGE}[sb]`, body: `[A-Za-z0-9]{24}${NO_MEMBER}`, accepts: dense }),
  whole('airtable-token', 'Airtable token', { after: '.', before: 'oaa[A-Za-z0-9]{14}\\.v1', body: '[A-Za-z0-9_-]{20,2000}={0,2}(?:\\.[a-f0-9]{64})?' }),
  whole('cloudflare-token', 'Cloudflare token', { after: '.', before: 'v1', body: `0-[a-f0-9]{24}-[a-f0-9]{146}${END}` }),
  whole('dropbox-token', 'Dropbox token', { after: '.', before: 'sl(?:\\.u)?', body: '[A-Za-z0-9_-]{100,2000}', accepts: dense }),
  whole('harness-token', 'Harness token', { after: '.', before: '[ps]at', body: '[A-Za-z0-9_-]{22}\\.[a-f0-9]{24}\\.[A-Za-z0-9]{20}' }),
  whole('snyk-token', 'Snyk token', { after: '.', before: 'snyk_(?:uat|sat)\\.[a-f0-9]{8}', body: '[A-Za-z0-9_-]{20,300}(?:\\.[A-Za-z0-9_-]{2,200})?' }),
  whole('jetbrains-token', 'JetBrains permanent token', { after: '.', before: 'perm[:-][A-Za-z0-9+/=_-]{4,48}\\.[A-Za-z0-9+/=_-]{2,16}', body: '[A-Za-z0-9]{28,64}' }),
  whole('infisical-token', 'Infisical token', { after: '.', before: 'st', body: '[a-f0-9]{24}\\.[a-f0-9]{32}\\.[a-f0-9]{32}' }),
  whole('bitwarden-token', 'Bitwarden access token', { after: '.', before: '0', body: `${UUID}\\.[A-Za-z0-9]{30}:[A-Za-z0-9+/]{22}={0,2}` }),
  whole('stackhawk-key', 'StackHawk key', { after: '.', before: 'hawk', body: '[A-Za-z0-9_-]{20}\\.[A-Za-z0-9_-]{20}' }),
  whole('tinybird-token', 'Tinybird token', { after: '.', before: 'p', body: 'eyJ[A-Za-z0-9_-]{30,300}\\.[A-Za-z0-9_-]{40,64}' }),
  whole('mailersend-token', 'MailerSend token', { after: '.', before: 'mlsn', body: `[a-f0-9]{64}${END}` }),
  whole('pushbullet-token', 'Pushbullet token', { after: '.', before: `${OWN_EDGE}o`, body: `[A-Za-z0-9]{32}${NO_MEMBER}`, accepts: dense }),
  whole('yandex-token', 'Yandex OAuth token', { after: '.', before: 't1', body: '[A-Za-z0-9_-]{20,400}={0,2}\\.[A-Za-z0-9_-]{80,90}={0,2}' }),
  whole('zhipu-key', 'Zhipu AI key', { after: '.', before: '[a-f0-9]{32}', body: `[A-Za-z0-9]{16}${END}(?!\\.)`, accepts: denseShort }),
  whole('asana-token', 'Asana token', { after: ':', before: '[12]/\\d{13,20}(?:/\\d{13,20})?', body: `[a-f0-9]{32}${END}` }),
  whole('fal-key', 'fal key', { after: ':', before: UUID, body: `[a-f0-9]{32}${END}` }),
  whole('ghost-key', 'Ghost admin key', { after: ':', before: '[a-f0-9]{24}', body: `[a-f0-9]{64}${END}` }),
  whole('firebase-server-key', 'Firebase server key', { after: ':', before: 'AAAA[A-Za-z0-9_-]{7}', body: `[A-Za-z0-9_-]{140}${END}` }),
  whole('baidu-key', 'Baidu key', { after: '/', before: 'bce-v3/ALTAK-[A-Za-z0-9]{18,24}', body: `[a-f0-9]{40}${END}` }),
  whole('salesforce-token', 'Salesforce session', { after: '!', before: '00D[A-Za-z0-9]{9,15}\\\\{0,2}', body: '[A-Za-z0-9_.]{80,200}' }),
  whole('braintree-token', 'Braintree access token', { after: '$', before: 'access_token\\$(?:production|sandbox)\\$[a-z0-9]{16}', body: `[a-f0-9]{32}${END}` }),
  whole('facebook-token', 'Facebook token', { after: '|', before: '\\d{15,17}', body: `[A-Za-z0-9_-]{27}${END}`, accepts: dense }),
  whole('slack-token', 'Slack token', { after: '.', before: 'xoxe', body: 'xox[bp]-[A-Za-z0-9-]{20,300}' }),
  whole('telegram-token', 'Telegram bot token', { after: ':', before: '\\d{8,10}', body: 'AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])' }),
  whole('azure-client-secret', 'Azure client secret', { after: '~', before: '[A-Za-z0-9_.~-]{3}\\dQ', body: '[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_-])' }),
  {
    id: 'slack-webhook',
    title: 'Slack webhook',
    after: '/',
    before: `hooks\\.slack(?:-gov)?\\.com${SLASH}(?:services|workflows|triggers)${SLASH}[A-Z0-9]{8,14}${SLASH}[A-Z0-9]{8,20}${SLASH}`,
    body: '[A-Za-z0-9]{20,64}',
    masks: 'body',
    accepts: looksRandom,
  },
  {
    id: 'discord-webhook',
    title: 'Discord webhook',
    after: '/',
    before: `(?:discord|discordapp)\\.com${SLASH}api${SLASH}(?:v\\d{1,2}${SLASH})?webhooks${SLASH}\\d{17,20}${SLASH}`,
    body: '[A-Za-z0-9_-]{60,80}',
    masks: 'body',
  },
  {
    id: 'teams-webhook',
    title: 'Microsoft Teams webhook',
    after: '/',
    before: `(?<=webhook\\.office\\.com${SLASH}webhookb2${SLASH}[a-f0-9@-]{36,80}${SLASH})IncomingWebhook${SLASH}`,
    body: `[a-f0-9]{32}${SLASH}${UUID}(?:${SLASH}[A-Za-z0-9_-]{20,80})?`,
    masks: 'body',
  },
  {
    id: 'make-webhook',
    title: 'Make webhook',
    after: '/',
    before: `hook\\.[a-z0-9.]{2,12}\\.make\\.com${SLASH}`,
    body: `[a-z0-9]{32}${END}`,
    masks: 'body',
    accepts: denseLower,
  },
  {
    id: 'ifttt-key',
    title: 'IFTTT webhook key',
    after: '/',
    before: `maker\\.ifttt\\.com${SLASH}trigger${SLASH}[A-Za-z0-9_{}-]{1,40}(?:${SLASH}json)?${SLASH}with${SLASH}key${SLASH}`,
    body: '[A-Za-z0-9_-]{20,64}',
    masks: 'body',
    accepts: looksRandom,
  },
  {
    id: 'docker-auth',
    title: 'Credentials in a Docker configuration',
    after: '"',
    before: '"auth\\\\{0,4}"\\s{0,16}:\\s{0,16}\\\\{0,4}"',
    body: '(?:[A-Za-z0-9+]|\\\\{0,2}/){8,4000}={0,2}',
    masks: 'body',
    accepts: isBasic,
  },
];

type Whole = Pick<JoinedRule, 'after' | 'before' | 'body' | 'accepts'>;

/** A token of two parts or more: all of it is secret, so its first part needs the left edge. */
function whole(id: string, title: string, parts: Whole): JoinedRule {
  return { id, title, ...parts, before: `${LEFT_EDGE}${parts.before}\\${parts.after}`, masks: 'whole' };
}
