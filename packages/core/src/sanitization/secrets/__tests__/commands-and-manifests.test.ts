import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { redactText } from '../redact-secrets.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { secretMark } from '../secrets-step.ts';
import { WorkBudget } from '../../work-budget.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
const redact = (text: string) => redactText(text, { detector, toolName: 't' });

/** What stands between `«` and `»` is the secret: it alone is masked, and a second look changes nothing. */
function expectMasked(text: string, rule: string): void {
  const masked = text.replaceAll(/«[^»]*»/g, secretMark(rule));
  expect(redact(text.replaceAll(/[«»]/g, ''))).toBe(masked);
  expect(redact(masked)).toBe(masked);
}

describe('a password in a command', () => {
  it.each([
    'curl -u alice:«s3cr3t» https://x', 'curl -s \\\n  --user "alice:«a long one»" https://x', 'curl --user=alice:«hunter2» x', '["curl", "-u", "bob:«hunter2»"]',
    "curl -u 'bob:«it is»' x", '$ curl -fsS -ubob:«hunter2» x', 'RUN /usr/bin/curl -u bob:«hunter2» x', 'a; curl -k -u bob:«hunter2» x',
    'mysql -u root -p«hunter2» shop', 'mysqldump --password=«hunter2» shop', "mysql -uroot -p'«a b c»' x", 'mysqladmin -h db -p"«hunter2»" status', '$(mysql -u root -p«hunter2» -e x)',
  ])('%s', (text) => expectMasked(text, 'command-password'));

  it.each([
    'curl -u $USER:$PASSWORD x', 'curl -u "${A}:${B}" x', 'curl -u user:password x', 'curl -u <name>:<password> x', 'curl -u name: x', 'curl -u name x', 'curl -u user:API_KEY x',
    'sort -u a:b', 'git push -u origin a:b', 'docker run -u 1000:1000 image', 'curl x; sort -u a:b', 'curl x | sort -u a:b', 'curl x\nsort -u a:b', `curl -u a:${secretMark('command-password')}`,
    'mysql -u root -p shop', 'mysql -u root -p', 'mysql -u root -p$PASSWORD x', 'mysql --password=<password> x', 'docker run -p8080:80 mysql', 'mysql x; ssh -pabcdef host', 'mysql x | less -pabc',
    'mkdir -pabc mysql', 'mysqlpump2 -phunter2', 'see mysql\nssh -pabcdef x', 'mysql -ppassword x', 'use of a mysql-proxy --port=1 -p12',
  ])('%s holds none', (text) => expect(redact(text)).toBe(text));
});

const data = (text: string) => Buffer.from(text).toString('base64');

describe('the values of a Kubernetes secret', () => {
  it.each([
    ['as kubectl prints it', `apiVersion: v1\ndata:\n  password: «${data('hunter2')}»\n  user: "«${data('admin')}»"\nkind: Secret\nmetadata:\n  name: x\ntype: Opaque\n---\nkind: ConfigMap\ndata:\n  a: b\n`],
    ['as it is written', 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\nstringData:\n  a: «b c» # why\n  url: \'«http://x:80/»\'\n  t: {{ .Values.x }}\n  u: <your name>\n  v: ${V}\n'],
    ['behind an empty line', `\nkind: Secret\ndata:\n  a: «${data('abc')}»\n`],
    ['behind a line of spaces', `\n  \n kind: Secret\n data:\n  a: «${data('abc')}»\n`],
    ['in lines', 'kind: Secret\nstringData:\n  config: |\n    «a: b\n    c: d»\n  e: «f»\n'],
    ['in a list', `items:\n- apiVersion: v1\n  data:\n    a: «${data('abc')}»\n  kind: Secret\n- apiVersion: v1\n  data:\n    b: c\n  kind: ConfigMap\n- kind: Secret\n  data:\n    d: «${data('def')}»\n`],
    ['in JSON', `{"apiVersion":"v1","data":{"a":"«${data('abc')}»","b":"«${data('def')}»"},"kind":"Secret","metadata":{"name":"x"}}`],
    ['in JSON with spaces', '{\n  "kind": "Secret",\n  "metadata": { "name": "x" },\n  "stringData": {\n    "a": "«b \\"c\\" d»"\n  }\n}'],
    ['beside a name that holds the word', `{"apiVersion":"v1","data":{"kindle":"«${data('abc')}»","a":"«${data('def')}»"},"kind":"Secret"}`],
    ['beside an owner of another kind', '{"kind":"Secret","metadata":{"ownerReferences":[{"kind":"X"}],"note":"}"},"stringData":{"a":"«kind of b»"}}'],
    ['around a manifest', `{"data":{"a":"«${data('abc')}»"},"x":{"kind":"Secret"},"kind":"Secret"}`],
    ['with a password that begins like something else', 'kind: Secret\nstringData:\n  a: "«!Passw0rd-xyz»"\n  b: \'«[x»\'\n  c: !tag x\n'],
    ['in JSON, with such a password', '{"kind":"Secret","stringData":{"a":"«!Passw0rd-xyz»","b":"«<x»","c":"<your name>"}}'],
    ['in an annotation', `annotations:\n  last-applied: |\n    {"data":{"a":"«${data('abc')}»"},"kind":"Secret"}\n`],
    ['in an annotation in JSON', `{"data":{"a":"«${data('abc')}»"},"kind":"Secret","metadata":{"annotations":{"x":"{\\"data\\":{\\"a\\":\\"«${data('abc')}»\\"},\\"kind\\":\\"Secret\\"}"}}}`],
  ])('%s', (_name, text) => expectMasked(text, 'kubernetes-secret'));

  it.each([
    ['a map', 'kind: ConfigMap\ndata:\n  a: b\n'],
    ['a list of secrets', 'kind: SecretList\ndata:\n  a: b\n'],
    ['words', 'This kind: Secret\ndata:\n  a: b\n'],
    ['the metadata', 'kind: Secret\nmetadata:\n  name: x\ntype: Opaque\n'],
    ['what stands behind it', 'kind: Secret\nmetadata:\n  name: x\n---\ndata:\n  a: b\n'],
    ['another object in JSON', '[{"kind":"Secret","metadata":{"name":"x"}},{"data":{"a":"b"},"kind":"ConfigMap"},{"data":{"c":"d"},"kind":"ConfigMap"}]'],
    ['what a template fills in', 'kind: Secret\ndata:\n{{- range . }}\n  a: {{ . | b64enc }}\n{{- end }}\n'],
    ['nothing', 'kind: Secret\ndata:\n  a: ""\n  b:\n  c: null\n'],
  ])('are not %s', (_name, text) => expect(redact(text)).toBe(text));

  it.each(['kind: Secret\n', 'kind: Secret\ndata:\n  a: b\n', '   kind: Secret\n  kind: Secret\n kind: Secret\n', '"kind":"Secret",', '{"data":{"a":"b"},"kind":"Secret"},', '"data":{', '- kind: Secret\n', 'curl -u a:b ', 'mysql -p', 'mysql -pabc\n'])(
    '%j in rows: twice the text is twice the work',
    (piece) => {
      const workOf = (units: number) => {
        const work = new WorkBudget(Number.MAX_SAFE_INTEGER);
        detector.find(piece.repeat(Math.ceil(units / piece.length)), { toolName: 't', work });
        return work.spent;
      };
      const [once, twice] = [workOf(32_768), workOf(65_536)];
      expect(twice).toBeLessThanOrEqual(2.3 * once + 2_000);
      expect(twice).toBeLessThan(96 * 65_536);
    },
  );
});
