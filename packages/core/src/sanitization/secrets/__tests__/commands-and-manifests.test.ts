import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { redactText } from '../../json/redact-secrets.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { secretMark } from '../secrets-step.ts';
import { WorkBudget } from '../../pipeline/work-budget.ts';

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
    ['with a password that begins like something else', 'kind: Secret\nstringData:\n  a: "«!Passw0rd-xyz»"\n  b: \'«[x»\'\n  c: !tag «x»\n  d: !!str\n'],
    ['in JSON, with such a password', '{"kind":"Secret","stringData":{"a":"«!Passw0rd-xyz»","b":"«<x»","c":"<your name>"}}'],
    ['in an annotation', `annotations:\n  last-applied: |\n    {"data":{"a":"«${data('abc')}»"},"kind":"Secret"}\n`],
    ['in an annotation in JSON', `{"data":{"a":"«${data('abc')}»"},"kind":"Secret","metadata":{"annotations":{"x":"{\\"data\\":{\\"a\\":\\"«${data('abc')}»\\"},\\"kind\\":\\"Secret\\"}"}}}`],
  ])('%s', (_name, text) => expectMasked(text, 'kubernetes-secret'));

  const base64 = `«${data('hunter2')}»`;
  const [nl, t] = ['\n', '\t'];

  it.each([
    ['in braces', `{kind: Secret, data: {password: ${base64}, user: "«a»", 'x': '«b»'}}`],
    ['in braces over lines', `{${nl}  apiVersion: v1,${nl}  data: {${nl}    password: ${base64},${nl}    url: «http://x:80/»${nl}  },${nl}  kind: Secret${nl}}${nl}`],
    ['in braces behind a key', `kind: Secret${nl}data: {password: ${base64}, n: null, i: 12}${nl}type: Opaque${nl}`],
    ['in braces below a key', `kind: Secret${nl}data:${nl}  {password: ${base64}}${nl}`],
    ['in a list in braces', `items: [{kind: Secret, data: {a: ${base64}}}, {kind: ConfigMap, data: {b: c}}]`],
    ['in braces behind a name', `secret = {'kind': 'Secret', 'data': {'a': '${base64}'}}`],
    ['without quotes around the kind', `{"data": {"a": ${base64}, "b": '«it»', "n": 5}, "kind": Secret}`],
    ['with keys in quotes', `"kind": "Secret"${nl}"data":${nl}  "a": "${base64}"${nl}'stringData':${nl}  'b c': «d»${nl}`],
    ['with keys in quotes, the kind last', `'apiVersion': v1${nl}'data':${nl}  a: ${base64}${nl}'kind': Secret${nl}`],
    ['with tabs and blanks', `kind:${t}Secret${nl}data: ${nl}  a:${t} ${base64}${nl}`],
    ['with many blanks', `kind:            Secret${nl}data:    # them${nl}  a:    ${base64}${nl}`],
    ['with the kind on the next line', `kind:${nl}  Secret${nl}data:${nl}  a: ${base64}${nl}`],
    ['with a tag', `kind: !!str Secret${nl}data: &x${nl}  a: !!binary |${nl}    ${base64}${nl}  b: !!str "«c»"${nl}`],
    ['on the next line', `kind: Secret${nl}data:${nl}  a:${nl}    ${base64}${nl}  b: # why${nl}    "«c»"${nl}  d: >-${nl}    «e${nl}    f»${nl}  g: >2 # h${nl}    «i»${nl}`],
    ['in lines of JSON', `kind: Secret${nl}stringData:${nl}  a: |${nl}    «{"b": "c"}»${nl}`],
    ['in lines, with quotes around them', `kind: Secret${nl}stringData:${nl}  a: "«b${nl}    c»"${nl}  d: '«e»'${nl}`],
    ['in a diff', `+++ b/secret.yaml${nl}@@ -1,4 +1,4 @@${nl} apiVersion: v1${nl} kind: Secret${nl} data:${nl}-  a: ${base64}${nl}+  a: ${base64}${nl} type: Opaque${nl}`],
    ['in a file that a diff adds', `+apiVersion: v1${nl}+data:${nl}+  a: ${base64}${nl}+kind: Secret${nl}+---${nl}+kind: ConfigMap${nl}+data:${nl}+  b: c${nl}`],
    ['in a file that a diff takes away', `-kind: Secret${nl}-data:${nl}-  a: ${base64}${nl}----${nl}-data:${nl}-  b: c${nl}`],
    ['in a list that a diff takes away', ` items:${nl}-  - kind: Secret${nl}-    data:${nl}-      a: ${base64}${nl}   - kind: ConfigMap${nl}     data:${nl}       b: c${nl}`],
    ['in a part that a diff takes away', ` spec:${nl}-  kind: Secret${nl}-  data:${nl}-    a: ${base64}${nl} other: x${nl}`],
    ['where a diff takes away its data', `   kind: Secret${nl}-  data:${nl}-    a: ${base64}${nl}+  data:${nl}+    a: ${base64}${nl}`],
    ['in two pieces of a diff', ` kind: Secret${nl} metadata:${nl}@@ -9,3 +9,3 @@${nl} data:${nl}-  a: ${base64}${nl}+  a: ${base64}${nl}`],
    ['in lines with numbers', `     9${t}kind: Secret${nl}    10${t}data:${nl}    11${t}  a: ${base64}${nl}    12${t}${nl}    13${t}  b: ${base64}${nl}    14${t}type: Opaque${nl}`],
    ['in lines with numbers and arrows', `  1→data:${nl}  2→  a: ${base64}${nl}  3→kind: Secret${nl}`],
    ['in lines with numbers and blanks', `  9 kind: Secret${nl} 10 data:${nl} 11   a: ${base64}${nl}`],
    ['in lines that grep shows', `k8s/a.yaml:9:kind: Secret${nl}k8s/a.yaml-10-data:${nl}k8s/a.yaml-11-  a: ${base64}${nl}k8s/b.yaml-12-  b: c${nl}`],
    ['in lines that grep shows around another', `9-kind: Secret${nl}10:data:${nl}11-  a: ${base64}${nl}`],
    ['in lines with a time', `2026-01-02T03:04:05.678Z kind: Secret${nl}2026-01-02T03:04:06.1Z data:${nl}2026-01-02T03:04:06.2Z   a: ${base64}${nl}`],
    ['in quoted lines', `> kind: Secret${nl}> data:${nl}>   a: ${base64}${nl}words${nl}`],
    ['in lines that are a remark', `# kind: Secret${nl}# stringData:${nl}#   a: «b»${nl}`],
    ['in JSON with numbers', `  1${t}{${nl}  2${t}  "data": {${nl}  3${t}    "a": "${base64}",${nl}  4${t}    "b": "${base64}"${nl}  5${t}  },${nl}  6${t}  "kind": "Secret"${nl}  7${t}}${nl}`],
    ['in JSON in a diff', ` {${nl}   "kind": "Secret",${nl}   "data": {${nl}-    "a": "${base64}",${nl}+    "a": "${base64}",${nl}     "b": "${base64}"${nl}   }${nl} }${nl}`],
    ['in JSON in a string, over lines', `x: "{\\n  \\"kind\\": \\"Secret\\",\\n  \\"data\\": {\\n    \\"a\\": \\"${base64}\\",\\n    \\"b\\": \\"${base64}\\"\\n  }\\n}"`],
    ['in a list of secrets', `apiVersion: v1${nl}items:${nl}- data:${nl}    a: ${base64}${nl}  metadata:${nl}    name: x${nl}- data:${nl}    b: ${base64}${nl}kind: SecretList${nl}`],
    ['in a list of secrets in JSON', `{"kind":"SecretList","items":[{"metadata":{},"data":{"a":"${base64}"}}]}`],
    ['beside a number in JSON', `{"kind":"Secret","data":{"n":12,"a":"${base64}","f":false,"b":"${base64}"}}`],
    ['in lines, and in an annotation in lines', `data:${nl}  a: ${base64}${nl}kind: Secret${nl}metadata:${nl}  annotations:${nl}    last-applied: |${nl}      {"data":{"a":"${base64}"},"kind":"Secret"}${nl}    x: '{"data":{"a":"${base64}"},"kind":"Secret"}'${nl}`],
    ['in lines, and in an annotation before its data', `kind: Secret${nl}metadata:${nl}  annotations:${nl}    last-applied: |${nl}      {"kind":"Secret","stringData":{"a":"«b c»"}}${nl}data:${nl}  a: ${base64}${nl}`],
    ['behind braces that nothing closes', `{"kind":"Secret","metadata":{"name":"x${nl}---${nl}kind: Secret${nl}data:${nl}  a: ${base64}${nl}`],
    ['behind words with a brace', `See { kind: Secret, then${nl}kind: Secret${nl}data:${nl}  a: ${base64}${nl}`],
    ['in JSON that is cut', `{"kind":"Secret","data":{"a":"${base64}","b":"«c3dvc»`],
    ['in JSON in a string that is cut', `x: "{\\"kind\\":\\"Secret\\",\\"data\\":{\\"a\\":\\"«c3dvc»`],
    ['with remarks in any column', `  kind: Secret${nl}# x${nl}  data: # them${nl}# y${nl}    a: ${base64}${nl}# z${nl}    b: ${base64}${nl}   # w${nl}    c: |${nl}      «# d${nl}      e»${nl}`],
    ['with lines of a template', `{{- if .a }}${nl}kind: Secret${nl}data:${nl}{{- if .b }}${nl}  a: ${base64}${nl}{{- end }}${nl}  {{ .k }}: ${base64}${nl}{{- end }}${nl}`],
    ['in lines that a log writes out', `2026 msg="apiVersion: v1\\ndata:\\n  a: ${base64}\\n  b: \\"«c d»\\"\\nkind: Secret\\nstringData:\\n  e: |\\n    «f\\n    g»\\n" h="data:\\n  a: b"${nl}data: x${nl}`],
    ['in lines that a program writes out', `f("kind: Secret\\ndata:\\n  a: ${base64}", "b");${nl}`],
    ['in lines in JSON that is cut', `{"a":"x","b":"data:\\n  a: ${base64}\\nkind: Secret\\n---\\nkind: ConfigMap\\ndata:\\n  b: c\\n---\\nkind: Secret\\ndata:\\n  d: «c3dvc»`],
    ['with the kind under a name', `kind: &k Secret${nl}data:${nl}  a: ${base64}${nl}`],
    ['in lines that end as on Windows', `kind: Secret\r${nl}data:\r${nl}  a: ${base64}\r${nl}  b: |\r${nl}    ${base64}\r${nl}  c:\r${nl}    ${base64}\r${nl}`],
  ])('in another form: %s', (_name, text) => expectMasked(text, 'kubernetes-secret'));

  it.each([
    ['a map', 'kind: ConfigMap\ndata:\n  a: b\n'],
    ['a list of secrets', 'kind: SecretList\ndata:\n  a: b\n'],
    ['words', 'This kind: Secret\ndata:\n  a: b\n'],
    ['the metadata', 'kind: Secret\nmetadata:\n  name: x\ntype: Opaque\n'],
    ['what stands behind it', 'kind: Secret\nmetadata:\n  name: x\n---\ndata:\n  a: b\n'],
    ['another object in JSON', '[{"kind":"Secret","metadata":{"name":"x"}},{"data":{"a":"b"},"kind":"ConfigMap"},{"data":{"c":"d"},"kind":"ConfigMap"}]'],
    ['what a template fills in', 'kind: Secret\ndata:\n{{- range . }}\n  a: {{ . | b64enc }}\n{{- end }}\n'],
    ['nothing', 'kind: Secret\ndata:\n  a: ""\n  b:\n  c: null\n'],
    ['nothing in braces', 'kind: Secret\ndata: {}\nx: {a: b}\n'],
    ['what a template puts into braces', 'kind: Secret\ndata: {{ toYaml .Values.x }}\n'],
    ['another item', '- kind: Secret\n  metadata:\n    name: x\n- kind: ConfigMap\n  data:\n    a: b\n'],
    ['another object in braces', '[{kind: Secret, type: Opaque}, {kind: ConfigMap, data: {a: b}}]'],
    ['what stands before other words', 'a kind: Secret\n  data:\n    a: b\n'],
    ['in the next string', 'x="kind: Secret\\ntype: Opaque" y="data:\\n  a: b"\n'],
    ['behind a remark', 'kind: Secret\n# x\n---\n# y\ndata:\n  a: b\n'],
    ['of a part behind a remark', 'a:\n  kind: Secret\n# x\nb:\n  data:\n    a: b\n'],
    ['another kind', 'my-kind: Secret\ndata:\n  a: b\nsub.kind: Secret\nstringData:\n  a: b\n'],
  ])('are not %s', (_name, text) => expect(redact(text)).toBe(text));

  it.each(['kind: Secret\n', 'kind: Secret\ndata:\n  a: b\n', '   kind: Secret\n  kind: Secret\n kind: Secret\n', '"kind":"Secret",', '{"data":{"a":"b"},"kind":"Secret"},', '"data":{', '- kind: Secret\n', '+kind: Secret\n', '-kind: Secret\n', '-  kind: Secret\n', ' kind: Secret\n- data:\n', '1\tkind: Secret\n', '{kind: Secret, ', '{kind: Secret, data: {a: b}}', "{'kind': 'Secret'", 'kind:\n Secret\n', 'kind: Secret\ndata: {a: ', 'kind: Secret\ndata: {a: "', 'kind: Secret\ndata:\n  a:\n', 'kind: SecretList\n- data:\n  a: b\n', '1:kind: Secret\n', '> kind: Secret\n', 'kind: Secret,', '- - - kind: Secret\n', 'kind: Secret\n\n\n', 'x kind: Secret\n', '"kind": "Secret"\n', '# kind: Secret\n', 'kind: Secret\n# x\n', 'kind: Secret\\n', '"kind: Secret\\n"', '"kind: Secret\\ndata:\\n  a: b\\n"\n', 'Secret\\n', 'kind: Secret\\n{"kind":"Secret"}', 'kind: Secret\n{{ x }}\n', 'kind: Secret\n{{', 'kind: Secret\n  {"kind":"Secret"}\n', 'kind: Secret\n  {"kind":"Secret"\n', '{"kind":"Secret"\nkind: Secret\n', 'kind: &k Secret\n', '{"kind":"Secret","data":{"a":"', 'curl -u a:b ', 'mysql -p', 'mysql -pabc\n'])(
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
