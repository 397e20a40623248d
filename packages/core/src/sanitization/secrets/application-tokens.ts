import { Buffer } from 'node:buffer';
import { looksRandom, type TokenRule } from './secret-rule.ts';
import { hasDigit, mixedCase } from './token-shapes.ts';

/** Code hosting, package registries, models, payment, mail, chat, work tools. */
export const APPLICATION_TOKENS: readonly TokenRule[] = [
  { id: 'github-token', title: 'GitHub token', prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], body: '[A-Za-z0-9]{36}', rest: '[A-Za-z0-9]{0,219}' },
  {
    id: 'github-token',
    title: 'GitHub token',
    // Of an installation: the number of the app, and a JSON Web Token.
    prefixes: ['ghs_'],
    body: '\\d{1,20}_eyJ[A-Za-z0-9_-]{20,64}',
    rest: '[A-Za-z0-9_-]{0,2000}\\.[A-Za-z0-9_-]{0,4000}(?:\\.[A-Za-z0-9_-]{0,2000})?',
  },
  { id: 'github-token', title: 'GitHub token', prefixes: ['github_pat_'], body: '[A-Za-z0-9]{22}_[A-Za-z0-9]{40,100}' },
  {
    id: 'gitlab-token',
    title: 'GitLab token',
    prefixes: [
      'glpat-', 'gldt-', 'glptt-', 'glrt-', 'glcbt-', 'glagent-', 'gloas-', 'glsoat-', 'glft-', 'glimt-', 'glffct-', 'glwt-', 'glrtr-',
    ],
    body: '[A-Za-z0-9_-]{20,64}',
    rest: '[A-Za-z0-9_-]{0,1000}(?:\\.[A-Za-z0-9_-]{2,20}){0,2}',
  },
  { id: 'gitlab-token', title: 'GitLab token', prefixes: ['GR1348941'], body: '[A-Za-z0-9_-]{20,64}' },
  { id: 'atlassian-token', title: 'Atlassian token', prefixes: ['ATATT3', 'ATCTT3', 'ATBB', 'ATSTT3'], body: '[A-Za-z0-9_=-]{24,64}', rest: '[A-Za-z0-9_=-]{0,1000}', accepts: hasDigit },
  { id: 'npm-token', title: 'npm token', prefixes: ['npm_'], body: '[A-Za-z0-9]{36,64}' },
  { id: 'pypi-token', title: 'PyPI token', prefixes: ['pypi-AgE'], body: '[A-Za-z0-9_-]{50,64}', rest: '[A-Za-z0-9_-]{0,10000}' },
  { id: 'rubygems-key', title: 'RubyGems key', prefixes: ['rubygems_'], body: '[a-f0-9]{48}' },
  { id: 'nuget-key', title: 'NuGet key', prefixes: ['oy2'], body: '[a-z0-9]{43}(?![A-Za-z0-9])', accepts: hasDigit },
  { id: 'clojars-token', title: 'Clojars token', prefixes: ['CLOJARS_'], body: '[a-z0-9]{60}' },
  { id: 'jfrog-token', title: 'JFrog token', prefixes: ['AKCp'], body: '[A-Za-z0-9]{69}(?![A-Za-z0-9])' },
  { id: 'jfrog-token', title: 'JFrog token', prefixes: ['cmVmdGtu'], body: '[A-Za-z0-9]{56}(?![A-Za-z0-9])' },
  {
    id: 'openai-key',
    title: 'OpenAI key, or one of its form',
    prefixes: ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-', 'sk-service-account-', 'sk-or-v1-', 'sk-lf-'],
    body: '[A-Za-z0-9_-]{32,64}',
    rest: '[A-Za-z0-9_-]{0,1000}',
    accepts: hasDigit,
  },
  {
    id: 'openai-key',
    title: 'OpenAI key, or one of its form',
    prefixes: ['sk-'],
    body: '[A-Za-z0-9]{32,64}(?![A-Za-z0-9])',
    accepts: hasDigit,
  },
  { id: 'anthropic-key', title: 'Anthropic key', prefixes: ['sk-ant-'], body: '[A-Za-z0-9_-]{32,64}', rest: '[A-Za-z0-9_-]{0,1000}', accepts: hasDigit },
  { id: 'huggingface-token', title: 'Hugging Face token', prefixes: ['hf_', 'api_org_'], body: '[A-Za-z0-9]{34,64}', accepts: mixedCase },
  { id: 'devs-token', title: 'devs token', prefixes: ['devs_'], body: '[0-9a-f]{12}_[A-Za-z0-9_-]{43}' },
  { id: 'groq-key', title: 'Groq key', prefixes: ['gsk_'], body: '[A-Za-z0-9]{48,64}' },
  { id: 'xai-key', title: 'xAI key', prefixes: ['xai-'], body: '[A-Za-z0-9]{70,100}' },
  { id: 'perplexity-key', title: 'Perplexity key', prefixes: ['pplx-'], body: '[A-Za-z0-9]{40,64}' },
  { id: 'replicate-token', title: 'Replicate token', prefixes: ['r8_'], body: '[A-Za-z0-9]{37,40}' },
  { id: 'stripe-key', title: 'Stripe key', prefixes: ['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_', 'sk_org_'], body: '[A-Za-z0-9_]{16,64}', rest: '[A-Za-z0-9_]{0,1000}', accepts: hasDigit },
  { id: 'stripe-webhook-secret', title: 'Stripe webhook secret', prefixes: ['whsec_'], body: '[A-Za-z0-9+/]{32,64}={0,2}' },
  { id: 'square-token', title: 'Square token', prefixes: ['sq0atp-', 'sq0csp-'], body: '[A-Za-z0-9_-]{22,60}' },
  { id: 'razorpay-key', title: 'Razorpay key', prefixes: ['rzp_live_', 'rzp_test_'], body: '[A-Za-z0-9]{14,32}' },
  { id: 'shopify-token', title: 'Shopify token', prefixes: ['shpat_', 'shpca_', 'shppa_', 'shpss_'], body: '[A-Fa-f0-9]{32,64}' },
  { id: 'twilio-key', title: 'Twilio key or account id', prefixes: ['SK', 'AC'], body: '[0-9a-f]{32}(?![A-Za-z0-9])' },
  { id: 'mailgun-key', title: 'Mailgun key', prefixes: ['key-'], body: '[0-9a-f]{32}(?![A-Za-z0-9-])' },
  { id: 'brevo-key', title: 'Brevo key', prefixes: ['xkeysib-', 'xsmtpsib-'], body: '[a-f0-9]{64}-[A-Za-z0-9]{16}' },
  {
    id: 'slack-token',
    title: 'Slack token',
    prefixes: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxo-', 'xoxr-', 'xoxs-', 'xoxe-', 'xoxc-', 'xoxd-', 'xwfp-'],
    body: '[A-Za-z0-9%_-]{16,64}',
    rest: '[A-Za-z0-9%_-]{0,1000}',
    accepts: hasDigit,
  },
  { id: 'slack-token', title: 'Slack token', prefixes: ['xapp-'], body: '[A-Za-z0-9%_-]{16,64}', rest: '[A-Za-z0-9%_/+=-]{0,1000}', accepts: hasDigit },
  { id: 'linear-key', title: 'Linear key', prefixes: ['lin_api_', 'lin_oauth_'], body: '[A-Za-z0-9]{32,128}' },
  { id: 'notion-token', title: 'Notion token', prefixes: ['ntn_'], body: '[A-Za-z0-9]{40,64}' },
  { id: 'notion-token', title: 'Notion token', prefixes: ['secret_'], body: '[A-Za-z0-9]{43}(?![A-Za-z0-9])', accepts: mixedCase },
  { id: 'postman-key', title: 'Postman key', prefixes: ['PMAK-', 'PMAT-'], body: '[A-Za-z0-9]{24,26}(?:-[A-Za-z0-9]{34})?' },
  { id: 'figma-token', title: 'Figma token', prefixes: ['figd_', 'figr_', 'figp_', 'figo_', 'figu_', 'figor_'], body: '[A-Za-z0-9_-]{40,64}', rest: '[A-Za-z0-9_-]{0,1000}' },
  { id: 'typeform-token', title: 'Typeform token', prefixes: ['tfp_'], body: '[A-Za-z0-9_.-]{44,80}' },
  { id: 'hubspot-token', title: 'HubSpot token', prefixes: ['pat-na1-', 'pat-na2-', 'pat-eu1-', 'pat-ap1-'], body: '[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}' },
  { id: 'contentful-token', title: 'Contentful token', prefixes: ['CFPAT-'], body: '[A-Za-z0-9_-]{43}' },
  {
    id: 'discord-token',
    title: 'Discord bot token',
    prefixes: ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT'],
    body: '[A-Za-z0-9]{21,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}',
    accepts: namesAccount,
  },
];

/** The first part of a Discord token is the number of an account, in base64; a chain of names in a program decodes to anything. */
function namesAccount(body: string, prefix: string): boolean {
  const [number = ''] = (prefix + body).split('.');
  return /^\d{17,20}$/.test(Buffer.from(number, 'base64').toString('latin1')) && looksRandom(body);
}
