import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lawRuns } from '../../../__tests__/law-runs.ts';
import { DevsError } from '../../../errors.ts';
import { countWork } from '../../__tests__/counted-work.ts';
import { LongWords } from '../long-words.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { redactText } from '../../json/redact-secrets.ts';
import { TOKEN_RULES } from '../rules.ts';
import { WorkBudget } from '../../pipeline/work-budget.ts';
import { behind, random, SAMPLES } from './samples.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], injected: ['some injected value'], fingerprintKey: new Uint8Array(32) });
const redact = (text: string) => redactText(text, { detector, toolName: 't' });
const SIZE = 65_536;
const MEBI = 1_048_576;

function workOf(text: string): number {
  const work = new WorkBudget(Number.MAX_SAFE_INTEGER);
  detector.find(text, { toolName: 't', work });
  return work.spent;
}

const HEADER = `eyJhbGciOi`;
const HOSTILE = [
  '-----BEGIN RSA PRIVATE KEY-----', '-----BEGIN RSA PRIVATE KEY-----\nA: ', `-----BEGIN PRIVATE KEY-----\n${random(64)}\n`, 'PRIVATE KEY', '1:',
  'eyJ-', HEADER, `${HEADER}-`, `${HEADER}IxIn0.a.`, 'sk-', 'sk-ant-', 'sk-proj-', 'fm2_', 'ops_eyJ', 'glpat-', 'xoxb-', 'AKIA', 'AKIA-', 'MT-',
  '://', '://a:', '://a:b', `://${'a'.repeat(127)}:${'b'.repeat(255)}`, 'authorization:', 'authorization: bearer ', 'AccountKey=', 'primaryKey=', 'awsSecretKey=', '\n_auth = ', '_authToken=',
  'aws_secret_access_key=', '&sig=', 'Private-Lines: 1\n', '\\n', '%3D', '12345678:AAaaaaaaaaaaa', 'SG.aaaaaaaaaaaaa.', 'machine a login b password ',
  'glc_', 'tfp_', 'fm1_', 'st_ac_key=fm2_', 'ACCA_', '@tcp(', ';pwd=r', 'authorization=bearer+your', '-----END PRIVATE KEY-----',
  'LS0tLS1CRUdJTi', 's.aaaaaaaaaaaaa', 'API_KEY=aaaaaaaaaaaaaaaaaaaaa', '?access_token=aaaaaaaaaaaaa', ' --token aaaaaaaaaaaaa', 'aaaaaaaaaaaaa-us1 ', 'live_', 'kind: Secret\ndata:\n  a: b\n', 'curl -u a:b ', 'mysql -pabc ',
  '<external-content-', '\u001b]', '__ot', '_', '-', 'a', '.', ' ', '\n', '\u0000', '\u{e0041}', '密',
];

describe('work', () => {
  it.each(HOSTILE)('%j in rows: twice the text is twice the work, and less than 800 steps a unit', (piece) => {
    const text = piece.repeat(Math.ceil((2 * SIZE) / piece.length)).slice(0, 2 * SIZE);
    const [once, twice] = [workOf(text.slice(0, SIZE)), workOf(text)];
    expect(twice).toBeLessThanOrEqual(2.3 * once + 2_000);
    expect(twice).toBeLessThan(800 * text.length);
  });

  it.each([1, 64])('is granted by the unit, in %i pieces', (pieces) => {
    const work = new WorkBudget(0);
    for (let piece = 0; piece < 4 * pieces; piece += 1) {
      work.grant(MEBI / pieces);
      work.grantShare(1);
    }
    // For the texts, and as much for the share of each.
    work.spend(2 * 28 * 4 * MEBI);
    expect(() => work.spend(1)).toThrow(DevsError);
  });

  it('is counted for each unit of a manifest, whose lines are read one by one', () => {
    const text = `kind: Secret\ndata:\n${'  a: b\n'.repeat(1_000)}`;
    expect(workOf(text)).toBeGreaterThan(4 * text.length);
  });

  it('is counted for each line of one, however short, and for what stands before it', () => {
    // Of each: the line of the kind, the ones beside it, and those again to see where the manifest begins and ends.
    expect(workOf('kind: Secret\n---\n'.repeat(1_000))).toBeGreaterThan(400 * 1_000);
    expect(workOf(`${'x, '.repeat(40)}- kind: Secret\n`.repeat(1_000))).toBeGreaterThan(800 * 1_000);
  });

  it('looks a few times at what stands before a line, each time once at each unit', () => {
    const text = `${'x, 1 '.repeat(24)}- kind: Secret\n`.repeat(100);
    expect(countWork(() => void detector.find(text, { toolName: 't' }))).toBeLessThan(60 * text.length);
  });

  it('beyond the budget withholds the text', () => {
    const look = () => detector.find(`${HEADER}-`.repeat(1_000), { toolName: 't', work: new WorkBudget(10_000) });
    expect(look).toThrow(DevsError);
    expect(look).toThrow('OUTPUT_WITHHELD');
  });

  it('is one for all texts of a value: a list of small ones has no more of it than one', () => {
    const work = new WorkBudget(1_000);
    work.grant(10);
    expect(() => work.spend(1_250)).not.toThrow();
    expect(() => work.spend(100)).toThrow('OUTPUT_WITHHELD');
  });

  it('of no body is more than is counted for it', () => {
    for (const { id, prefixes, body } of TOKEN_RULES) {
      const pattern = new RegExp(body.replace(/\(\?![^)]*\)/g, ''), 'y');
      for (const unit of ['a', 'A', '0', 'Q', '/', '-', '_']) {
        pattern.lastIndex = 0;
        if (pattern.test(unit.repeat(2_000))) expect([id, prefixes, pattern.lastIndex <= 128]).toEqual([id, prefixes, true]);
      }
    }
  });

  it('of any rows of what rules begin with is bounded by their length', () => {
    const beginning = fc.constantFrom(...HOSTILE, ...TOKEN_RULES.flatMap(({ prefixes }) => prefixes), '=', '"', '\n', 'x'.repeat(13));
    fc.assert(
      fc.property(fc.array(beginning, { minLength: 1, maxLength: 5 }), (pieces) => {
        const piece = pieces.join('');
        const text = piece.repeat(Math.ceil(8_192 / piece.length));
        expect(workOf(text)).toBeLessThan(800 * text.length);
      }),
      lawRuns(500),
    );
  });

  it('of the default budget ends as well', () => {
    const budget = WorkBudget.forText('text');
    expect(() => budget.spend(16_001_000)).toThrow(expect.objectContaining({ code: 'OUTPUT_WITHHELD', cause: new Error('cleaning it would take more work than a result of its length may') }));
  });

  it('for passwords of settings is counted as what it costs: each is looked at with hundreds of units around it', () => {
    const honest = 'Server=db.example;Database=app;User Id=sa;Password=Zx81kdPQm2;';
    expect(workOf(honest.repeat(1_000))).toBeLessThan(20 * 1_000 * honest.length);
    expect(() => redact(';pwd=a\u00ada\u00ad,,'.repeat(20_000))).toThrow('OUTPUT_WITHHELD');
  });

  it('for clean text is next to nothing', () => {
    expect(workOf("  if (chunk.length > limit) return refuse('the message is too large');\n".repeat(1_000))).toBe(1_000);
  });
});

describe('long words', () => {
  const words = new LongWords();
  it('are those that a pattern finds, over the edges of chunks too', () => {
    const piece = fc.oneof(
      fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/),
      fc.string({ unit: 'binary', maxLength: 5 }),
      fc.constantFrom('Ł', 'ş', ' ', '.', 'a'.repeat(12), 'b'.repeat(13), 'c'.repeat(16_384), ' '.repeat(16_380)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        const found: [number, number][] = [];
        words.visit(text, (start, end) => {
          found.push([start, end]);
          return end;
        });
        expect(found).toEqual([...text.matchAll(/[A-Za-z0-9_-]{13,}/g)].map(({ 0: word, index }) => [index, index + word.length]));
      }),
      lawRuns(300),
    );
  });
});

describe('laws', () => {
  const secret = fc.constantFrom(...SAMPLES.map(({ rule, before, secret: text }) => before + text + behind(rule)));
  const fragment = fc.oneof(
    secret,
    secret.chain((text) => fc.nat(text.length).map((cut) => text.slice(0, cut))),
    secret.chain((text) => fc.nat(text.length).map((cut) => text.slice(cut))),
    fc.constantFrom(...HOSTILE, 'some injected value', '[REDACTED:secret:url-password]', '[REDACTED:tag]', '[REDACTED:', ']', '"', "'", '@', '=', '\\n', '----'),
    fc.string({ maxLength: 8 }),
  );
  const text = fc.array(fragment, { maxLength: 12 }).map((fragments) => fragments.join(''));

  it('findings stand from left to right, none over another, in the text', () => {
    fc.assert(
      fc.property(text, (whole) => {
        let from = 0;
        for (const { start, end } of detector.find(whole, { toolName: 't' })) {
          expect(start).toBeGreaterThanOrEqual(from);
          expect(end).toBeGreaterThan(start);
          from = end;
        }
        expect(from).toBeLessThanOrEqual(whole.length);
      }),
      lawRuns(1_000),
    );
  });

  it('a second run changes nothing', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const once = redact(whole);
        expect(redact(once)).toBe(once);
      }),
      lawRuns(3_000),
    );
  });

  const sampleOf = (rule: string) => SAMPLES.find((sample) => sample.rule === rule)?.secret ?? '';
  it.each([
    ['the name of a header behind a token of several words', `${sampleOf('stackhawk-key')}-x-api-key:${random(32)}`, 'stackhawk-key]-x-api-key:[REDACTED:secret:api-key-header]'],
    ['the same behind padding', `eyJrIjoi${random(60)}+${random(30)}--x-api-key:${random(32)}`, '--x-api-key:[REDACTED:secret:api-key-header]'],
    ['a command behind a token that ends in a joiner', `mdb_sa_sk_${random(39)}_mysql -pabc `, '[REDACTED:secret:mongodb-atlas-secret] -pabc '],
  ])('a second run changes nothing: %s', (_case, whole, expected) => {
    const once = redact(whole);
    expect(once).toContain(expected);
    expect(redact(once)).toBe(once);
  });

  it('a secret between spaces is masked, whatever stands around', () => {
    fc.assert(
      fc.property(text, fc.constantFrom(...SAMPLES.filter(({ before }) => before === '')), text, (left, sample, right) => {
        fc.pre(!left.includes(sample.secret) && !right.includes(sample.secret));
        expect(redact(`${left}\n ${sample.secret} \n${right}`)).not.toContain(sample.secret);
      }),
      lawRuns(1_000),
    );
  });
});
