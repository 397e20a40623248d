import { Buffer } from 'node:buffer';
import type { TokenRule } from './secret-rule.ts';
import { dense, hasDigit, mixed } from './token-shapes.ts';

const END = '(?![A-Za-z0-9])';
const UUID = '[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}';

/** A run of base64 begins like this by chance, behind a `/` or a `+`, and goes on with one: such a run is no token. */
const outsideBase64 = (prefix: string, body: string) => `(?<![+/]${prefix})${body}(?![A-Za-z0-9+/=])`;

/** Payment, mail, work, design, parcels. */
export const BUSINESS_TOKENS: readonly TokenRule[] = [
  { id: 'adobe-secret', title: 'Adobe client secret', prefixes: ['p8e-'], body: `[A-Za-z0-9_-]{32}${END}`, accepts: hasDigit },
  { id: 'adyen-key', title: 'Adyen key', prefixes: ['AQE'], body: '[a-z]hmf[A-Za-z0-9+/]{60}', rest: '[A-Za-z0-9+/=_-]{0,200}', accepts: hasDigit },
  { id: 'cal-com-key', title: 'Cal.com key', prefixes: ['cal_live_', 'cal_test_', 'cal_'], body: `[a-f0-9]{32}${END}` },
  { id: 'clickup-token', title: 'ClickUp token', prefixes: ['pk_'], body: `\\d{4,10}_[A-Z0-9]{32}${END}` },
  { id: 'dub-key', title: 'Dub key', prefixes: ['dub_'], body: `[A-Za-z0-9]{24}${END}`, accepts: dense },
  { id: 'duffel-token', title: 'Duffel token', prefixes: ['duffel_live_', 'duffel_test_'], body: '[A-Za-z0-9_=-]{43}', accepts: hasDigit },
  { id: 'easypost-key', title: 'EasyPost key', prefixes: ['EZAK', 'EZTK'], body: `[A-Za-z0-9]{54}${END}`, accepts: hasDigit },
  { id: 'facebook-token', title: 'Facebook token', prefixes: ['EAA'], body: '(?<![+/]EAA)[A-Za-z0-9]{90}', rest: '[A-Za-z0-9]{0,400}', accepts: dense },
  { id: 'flutterwave-key', title: 'Flutterwave secret key', prefixes: ['FLWSECK_TEST', 'FLWSECK_PROD', 'FLWSECK'], body: '-?[A-Za-z0-9]{12,40}(?:-X)?', accepts: hasDigit },
  { id: 'frame-io-token', title: 'Frame.io token', prefixes: ['fio-u-'], body: '[A-Za-z0-9_=-]{64}', accepts: hasDigit },
  { id: 'gitbook-token', title: 'GitBook token', prefixes: ['gb_api_'], body: '[A-Za-z0-9]{36,48}', accepts: hasDigit },
  { id: 'gocardless-token', title: 'GoCardless token', prefixes: ['sandbox_'], body: `[A-Za-z0-9_-]{40}${END}`, accepts: dense },
  {
    id: 'intercom-token',
    title: 'Intercom token',
    // Base64 of `tok:`.
    prefixes: ['dG9rO'],
    body: '[A-Za-z0-9+/]{40,60}',
    rest: '[A-Za-z0-9+/]{0,40}={0,2}',
    accepts: (body, prefix) => /^tok:[0-9a-f]{8}_/.test(Buffer.from(prefix + body, 'base64').toString('latin1')),
  },
  { id: 'kit-key', title: 'Kit key', prefixes: ['kit_'], body: `[a-f0-9]{32}${END}` },
  { id: 'klaviyo-key', title: 'Klaviyo private key', prefixes: ['pk_'], body: `[a-f0-9]{34}${END}` },
  { id: 'liveblocks-key', title: 'Liveblocks secret key', prefixes: ['sk_dev_', 'sk_prod_'], body: '[A-Za-z0-9_-]{48,80}', accepts: hasDigit },
  { id: 'mandrill-key', title: 'Mandrill key', prefixes: ['md-'], body: `[A-Za-z0-9_-]{22}${END}`, accepts: dense },
  // Lob and Chargebee give out the same, and GoCardless, with `_` and `-`: one rule for all, or their rows would be looked at thrice.
  { id: 'mollie-key', title: 'Mollie key, or one of its form', prefixes: ['live_'], body: `[A-Za-z0-9_-]{30,43}${END}`, accepts: denseOrHex },
  { id: 'mollie-key', title: 'Mollie key, or one of its form', prefixes: ['test_'], body: `[A-Za-z0-9]{30,43}${END}`, accepts: denseOrHex },
  { id: 'onesignal-key', title: 'OneSignal key', prefixes: ['os_v2_app_', 'os_v2_org_'], body: '[a-z0-9]{90,110}' },
  { id: 'paddle-key', title: 'Paddle key', prefixes: ['pdl_live_apikey_', 'pdl_sdbx_apikey_'], body: '[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}' },
  { id: 'plaid-token', title: 'Plaid access token', prefixes: ['access-'], body: `(?:sandbox|development|production)-${UUID}` },
  { id: 'polar-token', title: 'Polar token', prefixes: ['polar_oat_', 'polar_pat_'], body: '[A-Za-z0-9]{40,64}', accepts: hasDigit },
  { id: 'resend-key', title: 'Resend key', prefixes: ['re_'], body: `[A-Za-z0-9]{8}_[A-Za-z0-9]{24}${END}`, accepts: dense },
  { id: 'shippo-token', title: 'Shippo token', prefixes: ['shippo_live_', 'shippo_test_'], body: '[a-f0-9]{32,40}' },
  { id: 'square-token', title: 'Square token', prefixes: ['EAAA'], body: outsideBase64('EAAA', '[A-Za-z0-9_-]{60}'), accepts: dense },
  { id: 'telnyx-key', title: 'Telnyx key', prefixes: ['KEY0'], body: `[A-Z0-9]{31}_[A-Za-z0-9]{22}${END}`, accepts: mixed },
  { id: 'trello-token', title: 'Trello token', prefixes: ['ATTA'], body: `[A-Fa-f0-9]{60,80}${END}` },
  {
    id: 'twitter-token',
    title: 'Twitter bearer token',
    prefixes: ['AAAAAAAAAAAAAAAAAAAAA'],
    body: '[A-Za-z0-9%]{64}',
    rest: '[A-Za-z0-9%]{0,200}',
    // Its first part is base64, and written as a URL has it.
    accepts: (body) => /%(?:2[BF]|3D)/.test(body),
  },
];

function denseOrHex(body: string): boolean {
  return /^[a-f0-9]+$/.test(body) ? hasDigit(body) : dense(body);
}
