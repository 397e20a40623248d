import { describe, expect, it } from '@jest/globals';
import { redactText } from '../../json/redact-secrets.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { secretMark } from '../secrets-step.ts';
import { random } from './samples.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
const redact = (text: string) => redactText(text, { detector, toolName: 't' });
const P = `${random(18)}x`;
const mark = secretMark('github-token');

/** What stands between `«` and `»` is the secret: it alone is masked, and a second look changes nothing. */
function expectMasked(text: string, rule: string): void {
  const masked = text.replaceAll(/«[^»]*»/g, secretMark(rule));
  expect(redact(text.replaceAll(/[«»]/g, ''))).toBe(masked);
  expect(redact(masked)).toBe(masked);
}

describe('a password in a connection string', () => {
  it.each([
    `app:«${P}»@tcp(db:3306)/x`,
    `app:«${P}»@unix(/run/db.sock)/x`,
    `DSN=app:«${P}»@tcp(db)/x`,
    `app:«${random(128)}»@tcp(db)/x`,
    `Data Source=db;Password=«${P}»;`,
    `Provider=SQLOLEDB;PWD=«${P}»;`,
    `<add value="Server=db;Password=«${P}»" />`,
    `Server=db;Pooling=true;Timeout=5;Password=«${P}»;`,
    `Password=«${P}»; Server=db`,
    `Server=db;Password=«ab»${mark};`,
    `Server=db;Password="«a ;${P}»";`,
    `Server=db;Password='«a ;${P}»';`,
    `connect user=app password=«${P}»`,
    `DSN=user=app password=«${P}»`,
    `sslmode=disable password=«${P}»`,
    `password=«${P}» host=db`,
    `jdbc:derby://db/x;create=true;password=«${P}»`,
    `jdbc:mysql://db/x?useSSL=true&password=«${P}»&a=b`,
    `mongodb://db/x?authSource=admin&password=«${P}»`,
    `mongodb+srv://db/x?authSource=admin&password=«${P}»`,
    `rediss://db/0?password=«${P}»`,
    `spring.datasource=sqlserver://db?PASSWORD=«${P}»`,
  ])('%s', (text) => expectMasked(text, 'url-password'));

  it.each([
    'Server=db;form.password=hunter2;',
    'form.password=hunter2; Server=db',
    'my_password=hunter2 host=db',
    `app:ab${mark}@tcp(db)/x`,
    `Server=db;Password=****;`,
    `Server=db;Password={password};`,
    `Server=db;Password="your_password";`,
    `Server=db;Password=${mark};`,
    `Server=db;Password="${mark}";`,
    `Server=db;Password='${mark}';`,
    'app:password@tcp(db)/x',
    `app:${mark}@tcp(db)/x`,
  ])('%s is none', (text) => expect(redact(text)).toBe(text));

  it('that is too far from the other settings does not come near them when what stands between is masked', () => {
    const once = redact(`Server=db;Key=glpat-${random(300)};Password=${P};`);
    expect(once).toContain('[REDACTED:secret:gitlab-token]');
    expect(redact(once)).toBe(once);
  });
});

describe('a password of a netrc', () => {
  it.each([
    `default login u password «${P}»`,
    `machine x port 22 login u password «${P}»`,
    `machine x user u password «${P}»`,
    `machine x password «${P}» user u`,
    `"machine x login u password «${P}»`,
    `machine x\n\taccount a\n\tport 21\n\tlogin u\n\tpassword «${P}»`,
    `machine x login u password\n   «${random(600)}»`,
  ])('%s', (text) => expectMasked(text, 'netrc-password'));

  it.each([
    'themachine x login u password letmein',
    'machine x login u password your_password',
    `machine x login u password ${mark}`,
    `machine ${mark} login u password ${P}`,
    `machine x password ${P}`,
    `machine x password ${P} account u`,
  ])('%s is none', (text) => expect(redact(text)).toBe(text));

  it('that is too far from its machine does not come near it when what stands between is masked', () => {
    const once = redact(`machine x login glpat-${random(500)} password ${P}`);
    expect(once).toContain('[REDACTED:secret:gitlab-token]');
    expect(redact(once)).toBe(once);
  });
});

describe('a password in a URL', () => {
  it.each([
    `redis://:«${P}»@db`,
    `https://user:«${random(3_000)}»@host/x`,
    `"https:\\/\\/user:«${P}»@host\\/x"`,
    `https://user:«${P}»@[::1]/x`,
    `https://user:«${P}»@\${HOST}/x`,
    `https://user:«${P}»@%HOST%/x`,
    `pgsql://app:«a/${P}»@db/x`,
    `mysql://app:«a#${P}»@db/x`,
    `amqp://app:«a?${P}»@db/x`,
  ])('%s', (text) => expectMasked(text, 'url-password'));

  it.each([
    `://user:${P}@host`,
    `https://user:${P}@ host`,
    `https://user:${mark}@host`,
    `postgres://app:a/${mark}@db`,
    'postgres://app:5432/x@db',
    'postgres://app:5432#x@db',
    `https://app:a/${P}@db`,
    'https://u:$PASS_1@h https://u:$pass@h https://u:%PASS%@h https://u:%s@h https://u:{{pass}}@h https://u:x${pass}@h https://u:x{{pass}}@h',
    'https://u:xxxx@h https://u:----@h https://u:****@h https://u:....@h https://u:(pass)@h https://u:my_db_password@h https://u:token_here@h',
  ])('%s is none', (text) => expect(redact(text)).toBe(text));

  it('goes no further than the next address', () => {
    expectMasked(`postgres://a:b/c mysql://app:«x/${P}»@db`, 'url-password');
    expectMasked(`postgres://a:b/c,mysql://app:«x/${P}»@db`, 'url-password');
  });
});

describe('the signature of a shared access URL', () => {
  const signature = random(43);
  it.each([
    `https://a.example/c?sig=«${signature}%3D»`,
    `https://a.example/c?sv=1&sig=«${signature}=»&se=2`,
    `https://a.example/c?sv=1&amp;sig=«${signature}=»&amp;se=2`,
    `"https://a.example/c?sv=1\\u0026sig=«${signature}=»\\u0026se=2"`,
    `https://a.example/c?sig=«${random(40)}»`,
  ])('%s', (text) => expectMasked(text, 'azure-sas-signature'));

  it('is not what is shorter', () => {
    const text = `https://a.example/c?sig=${random(39)}`;
    expect(redact(text)).toBe(text);
  });
});
