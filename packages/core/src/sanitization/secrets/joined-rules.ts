import { isBasic } from './named-rules.ts';
import { LEFT_EDGE, looksRandom, type JoinedRule } from './secret-rule.ts';

/** PHP escapes each slash in JSON. */
const SLASH = '\\\\{0,4}/';

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
    id: 'docker-auth',
    title: 'Credentials in a Docker configuration',
    after: '"',
    before: '"auth\\\\{0,4}"\\s{0,16}:\\s{0,16}\\\\{0,4}"',
    body: '(?:[A-Za-z0-9+]|\\\\{0,2}/){8,4000}={0,2}',
    masks: 'body',
    accepts: isBasic,
  },
];

type Whole = Pick<JoinedRule, 'after' | 'before' | 'body'>;

/** A token of two parts or more: all of it is secret, so its first part needs the left edge. */
function whole(id: string, title: string, parts: Whole): JoinedRule {
  return { id, title, ...parts, before: `${LEFT_EDGE}${parts.before}\\${parts.after}`, masks: 'whole' };
}
