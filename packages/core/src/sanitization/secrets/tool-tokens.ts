import { Buffer } from 'node:buffer';
import type { TokenRule } from './secret-rule.ts';
import { dense, hasDigit, mixed } from './token-shapes.ts';

const END = '(?![A-Za-z0-9])';
const UUID = '[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}';

/** Tools of developers: quality, delivery, observation, secrets, stores and the clouds beside the largest. */
export const TOOL_TOKENS: readonly TokenRule[] = [
  { id: 'aiven-password', title: 'Aiven service password', prefixes: ['AVNS_'], body: `[A-Za-z0-9_-]{19}${END}`, accepts: mixed },
  { id: 'appwrite-key', title: 'Appwrite key', prefixes: ['standard_'], body: '[a-f0-9]{128}', rest: '[a-f0-9]{0,128}' },
  { id: 'axiom-token', title: 'Axiom token', prefixes: ['xaat-', 'xapt-'], body: UUID },
  { id: 'boundary-token', title: 'Boundary token', prefixes: ['at_'], body: '[A-Za-z0-9]{10}_s1[A-Za-z0-9]{40,100}', rest: '[A-Za-z0-9]{0,300}', accepts: hasDigit },
  { id: 'checkly-key', title: 'Checkly key', prefixes: ['cu_'], body: `[a-f0-9]{32}${END}` },
  { id: 'clickhouse-key', title: 'ClickHouse Cloud key', prefixes: ['4b1d'], body: `[A-Za-z0-9]{38}${END}`, accepts: dense },
  { id: 'cockroach-key', title: 'CockroachDB Cloud key', prefixes: ['CCDB1_'], body: '[A-Za-z0-9]{22}_[A-Za-z0-9]{40}' },
  {
    id: 'cloudflare-token',
    title: 'Cloudflare token',
    // Base64 of `{"a":"`: what a tunnel is run with, of an account, a tunnel and its secret.
    prefixes: ['eyJhIjoi'],
    body: '[A-Za-z0-9+/]{64,100}',
    rest: '[A-Za-z0-9+/]{0,400}={0,2}',
    accepts: (body, prefix) => /^\{"a":"[0-9a-f]{32}","t":/.test(fromBase64(prefix + body)),
  },
  {
    id: 'convex-key',
    title: 'Convex deploy key',
    // Base64 of `{"v2":"`.
    prefixes: ['eyJ2MiI6I'],
    body: '[A-Za-z0-9+/]{32,64}',
    rest: '[A-Za-z0-9+/]{0,400}={0,2}',
  },
  { id: 'crates-io-token', title: 'crates.io token', prefixes: ['cio'], body: `[A-Za-z0-9]{32}${END}`, accepts: dense },
  { id: 'defined-networking-key', title: 'Defined Networking key', prefixes: ['dnkey-'], body: '[a-z0-9=_-]{26}-[a-z0-9=_-]{52}', accepts: hasDigit },
  { id: 'deno-token', title: 'Deno Deploy token', prefixes: ['ddp_', 'ddw_', 'ddo_'], body: '[A-Za-z0-9]{36,40}', accepts: hasDigit },
  { id: 'depot-token', title: 'Depot token', prefixes: ['depot_'], body: '(?:project|org|user)_[a-f0-9]{64}' },
  { id: 'elastic-cloud-key', title: 'Elastic Cloud key', prefixes: ['essu_'], body: '[A-Za-z0-9+/]{40,100}', rest: '[A-Za-z0-9+/]{0,100}={0,2}', accepts: hasDigit },
  { id: 'honeycomb-key', title: 'Honeycomb key', prefixes: ['hcaik_', 'hcxik_', 'hcbik_', 'hcamk_', 'hcxmk_'], body: '[a-z0-9]{50,64}' },
  { id: 'infracost-key', title: 'Infracost key', prefixes: ['ico-'], body: `[A-Za-z0-9]{32}${END}`, accepts: dense },
  { id: 'inngest-key', title: 'Inngest signing key', prefixes: ['signkey-'], body: '(?:prod|test|branch|stag)-[a-f0-9]{64}' },
  { id: 'kong-token', title: 'Kong Konnect token', prefixes: ['kpat_', 'spat_'], body: '[A-Za-z0-9]{49}', accepts: hasDigit },
  // Of the environment: what begins with `sdk-` is for servers alone.
  { id: 'launchdarkly-key', title: 'LaunchDarkly key', prefixes: ['api-', 'sdk-'], body: `${UUID}(?![A-Za-z0-9-])` },
  { id: 'mongodb-atlas-secret', title: 'MongoDB Atlas service account secret', prefixes: ['mdb_sa_sk_'], body: '[A-Za-z0-9_-]{40}' },
  { id: 'netbird-token', title: 'NetBird token', prefixes: ['nbp_'], body: '[A-Za-z0-9]{36}' },
  { id: 'nostr-key', title: 'Nostr secret key', prefixes: ['nsec1'], body: `[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}${END}` },
  { id: 'octopus-key', title: 'Octopus Deploy key', prefixes: ['API-'], body: `[A-Z0-9]{25,32}${END}`, accepts: mixed },
  { id: 'onepassword-secret-key', title: '1Password secret key', prefixes: ['A3-'], body: '[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}' },
  { id: 'packagist-token', title: 'Private Packagist token', prefixes: ['packagist_'], body: '[a-z]{2,4}_[a-f0-9]{64,72}' },
  { id: 'posthog-key', title: 'PostHog key', prefixes: ['phx_', 'phs_'], body: '[A-Za-z0-9]{40,64}', accepts: hasDigit },
  { id: 'prefect-key', title: 'Prefect key', prefixes: ['pnu_', 'pnb_'], body: '[A-Za-z0-9]{36}', accepts: hasDigit },
  { id: 'readme-key', title: 'ReadMe key', prefixes: ['rdme_'], body: '[a-z0-9]{70}' },
  { id: 'scalingo-token', title: 'Scalingo token', prefixes: ['tk-us-'], body: '[A-Za-z0-9_-]{48}', accepts: hasDigit },
  { id: 'segment-token', title: 'Segment token', prefixes: ['sgp_'], body: `[A-Za-z0-9]{64}${END}` },
  { id: 'socket-token', title: 'Socket token', prefixes: ['sktsec_'], body: '[A-Za-z0-9_-]{20,80}_api', accepts: hasDigit },
  { id: 'sonarqube-token', title: 'SonarQube token', prefixes: ['sqp_', 'squ_', 'sqa_'], body: `[a-f0-9]{40}${END}` },
  { id: 'sourcegraph-token', title: 'Sourcegraph token', prefixes: ['sgp_'], body: `(?:(?:local|[a-f0-9]{16})_)?[a-f0-9]{40}${END}` },
  { id: 'sourcegraph-token', title: 'Sourcegraph token', prefixes: ['slk_', 'sgd_'], body: `[a-f0-9]{64}${END}` },
  { id: 'statsig-key', title: 'Statsig key', prefixes: ['secret-', 'console-'], body: `[A-Za-z0-9]{40,50}${END}`, accepts: dense },
  { id: 'stytch-secret', title: 'Stytch secret', prefixes: ['secret-live-', 'secret-test-'], body: '[A-Za-z0-9_-]{36}={0,1}', accepts: hasDigit },
  { id: 'tencent-key', title: 'Tencent Cloud secret id', prefixes: ['AKID'], body: `[A-Za-z0-9]{32}${END}`, accepts: dense },
  { id: 'volcengine-key', title: 'Volcengine access key id', prefixes: ['AKLT'], body: '[A-Za-z0-9]{40,64}', accepts: dense },
  { id: 'wakatime-key', title: 'WakaTime key', prefixes: ['waka_'], body: UUID },
  { id: 'xata-key', title: 'Xata key', prefixes: ['xau_'], body: '[A-Za-z0-9]{40,64}', accepts: hasDigit },
  { id: 'yandex-key', title: 'Yandex Cloud key', prefixes: ['AQVN'], body: `[A-Za-z0-9_-]{35,38}${END}`, accepts: dense },
  { id: 'yandex-key', title: 'Yandex Cloud key', prefixes: ['YC'], body: `[A-Za-z0-9_-]{38}${END}`, accepts: dense },
  { id: 'yandex-token', title: 'Yandex OAuth token', prefixes: ['y0_', 'y1_', 'y2_', 'y3_'], body: '[A-Za-z0-9_-]{50,64}', accepts: dense },
  { id: 'zuplo-key', title: 'Zuplo key', prefixes: ['zpka_'], body: '[a-f0-9]{32}_[a-f0-9]{8}' },
];

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('latin1');
}
