import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readPublicKey, toKeyId } from '../public-key.ts';
import { readHeads } from '../read-heads.ts';
import { checkHead, judgeHead, signHead, toHead, toHeadLine, toSignedHead, type SignedHead } from '../signed-head.ts';
import { createSigner, leaf, STORE } from './fixtures.ts';

const signer = createSigner();
const other = createSigner();
const AT = new Date('2026-01-02T03:04:05.678Z');
const signed = signHead({ store: STORE, seq: 7, leaf: leaf(7) }, signer, AT);
const line = toHeadLine(signed);

/** Another text, truly signed by the same key: what a verifier must refuse for its form alone. */
function signText(head: string): SignedHead {
  return { head, signature: sign(null, Buffer.from(head), signer.privateKey).toString('base64') };
}

describe('a signed head', () => {
  it('says what it was made of, in the form that is written down', () => {
    expect(JSON.parse(signed.head)).toEqual({ v: 1, store: STORE, seq: 7, leaf: leaf(7), timestamp: AT.toISOString(), key: signer.id });
    expect(checkHead(signed, signer.publicKey)).toEqual(toHead(signed.head));
    expect(checkHead(signed)).toEqual(toHead(signed.head));
    expect(line.length).toBeLessThan(900);
  });

  it('is of the key that signed it, and no other', () => {
    expect(judgeHead(signed, other.publicKey)).toBe('other key');
    expect(() => checkHead(signed, other.publicKey)).toThrow('signed by another key');
    // Another's head that names our key.
    const forged = { head: signed.head, signature: sign(null, Buffer.from(signed.head), other.privateKey).toString('base64') };
    expect(judgeHead(forged, signer.publicKey)).toBe('bad signature');
    expect(() => checkHead(forged)).toThrow('its signature does not fit');
  });

  it('is worth nothing once one character of its line is another', () => {
    const change = fc.tuple(fc.nat(line.length - 1), fc.constantFrom('0', '1', 'a', 'A', '"', ' ', '=', '+', '\\', '{', '\u0000'));
    fc.assert(
      fc.property(change, ([at, character]) => {
        fc.pre(line[at] !== character);
        const [found] = readHeads(line.slice(0, at) + character + line.slice(at + 1)).found;
        return found === undefined || (found.kind === 'head' && judgeHead(found.signed, signer.publicKey) !== 'valid');
      }),
    );
  });

  const content = JSON.parse(signed.head) as Record<string, unknown>;
  it.each<[string, string]>([
    ['a member more', JSON.stringify({ ...content, more: 1 })],
    ['a member twice', signed.head.replace('{"v":1', '{"v":1,"seq":9')],
    ['another order', JSON.stringify({ seq: 7, ...content })],
    ['a space', signed.head.replace('"v":1', '"v": 1')],
    ['a number that is written otherwise', signed.head.replace('"seq":7', '"seq":7.0')],
    ['another version', JSON.stringify({ ...content, v: 2 })],
    ['seq 0', JSON.stringify({ ...content, seq: 0 })],
    ['a seq beyond what is exact', JSON.stringify({ ...content, seq: 2 ** 53 })],
    ['a leaf in capitals', JSON.stringify({ ...content, leaf: 'A'.repeat(64) })],
    ['a short leaf', JSON.stringify({ ...content, leaf: 'a'.repeat(63) })],
    ['a store with a path in it', JSON.stringify({ ...content, store: `../${'a'.repeat(29)}` })],
    ['a time without a zone', JSON.stringify({ ...content, timestamp: '2026-01-02T03:04:05' })],
    ['a key of 31 bytes', JSON.stringify({ ...content, key: Buffer.alloc(31).toString('base64') })],
    ['no object', '[]'],
    ['nothing', ''],
    ['a huge text', `${signed.head}${' '.repeat(10_000)}`],
  ])('with %s is none, though the signature fits', (_name, text) => {
    expect(toHead(text)).toBeUndefined();
    expect(judgeHead(signText(text), signer.publicKey)).toBe('malformed');
    expect(() => checkHead(signText(text), signer.publicKey)).toThrow('does not have the form');
  });

  it.each<[string, string]>([
    ['not base64', '*'.repeat(88)],
    ['too short', signed.signature.slice(4)],
    ['too long', signed.signature.repeat(1_000)],
    ['spelled otherwise', signed.signature.replace(/=+$/, '')],
    ['with a line break', `${signed.signature}\n`],
  ])('with a signature that is %s is none', (_name, signature) => {
    expect(judgeHead({ head: signed.head, signature }, signer.publicKey)).toBe('malformed');
  });

  it('has two members', () => {
    for (const value of [{ ...signed, more: 1 }, { signature: signed.signature, head: signed.head }, [signed], null, 'x', { head: 1, signature: '' }]) {
      expect(toSignedHead(value)).toBeUndefined();
    }
    expect(toSignedHead({ ...signed })).toEqual(signed);
  });
});

describe('readHeads', () => {
  const receipt = `{"seq":5,"leaf":"${leaf(5)}"}`;

  it.each<[string, string, string]>([
    ['a head', line, 'head 7'],
    ['a line of a system log', `Nov 22 15:20:45 host devs[17]: devs-head ${line}`, 'head 7'],
    ['a head before CR LF', `${line}\r`, 'head 7'],
    ['a receipt', receipt, 'receipt 5'],
    ['an answer', `{"content":[],"_meta":{"devs/receipt":${receipt}}}`, 'receipt 5'],
    ['a message with an answer', `{"jsonrpc":"2.0","id":1,"result":{"content":[],"_meta":{"devs/receipt":${receipt}}}}`, 'receipt 5'],
  ])('finds %s', (_name, text, expected) => {
    const { found, refused } = readHeads(`\nother words\n${text}\n`);
    expect(found.map((one) => `${one.kind} ${one.kind === 'head' ? one.head.seq : one.seq}`)).toEqual([expected]);
    expect(found[0]?.line).toBe(3);
    expect(refused).toEqual([]);
  });

  it('finds all heads in a line, as a system log puts messages together, and says that one of them is broken', () => {
    const heads = [5, 6, 7].map((seq) => toHeadLine(signHead({ store: STORE, seq, leaf: leaf(seq) }, signer, AT)));
    const seqs = (text: string) => readHeads(text).found.map((one) => (one.kind === 'head' ? one.head.seq : one.kind));
    expect(seqs(heads.map((one) => `devs-head ${one}`).join(' '))).toEqual([5, 6, 7]);
    expect(seqs(`message repeated 2 times: [ ${heads[0]}]`)).toEqual([5]);
    const cut = [heads[0], heads[1]?.slice(0, 90), heads[2]].join('');
    expect([seqs(cut), readHeads(cut).refused]).toEqual([[5, 7], [{ line: 1, what: expect.stringContaining('cut off or changed') }]]);
  });

  it.each<[string, string]>([
    ['cut off', line.slice(0, -9)],
    ['with a member more', line.replace(/}$/, ',"more":1}')],
    ['a receipt that is cut off', receipt.slice(0, -9)],
    ['a receipt with a short leaf', '{"seq":5,"leaf":"00"}'],
    ['a receipt with a member more', receipt.replace(/}$/, ',"more":1}')],
    ['a receipt in another order', `{"seq":5,"more":1,"leaf":"${leaf(5)}"}`],
  ])('refuses %s', (_name, text) => {
    expect(readHeads(text)).toEqual({ found: [], refused: [{ line: 1, what: expect.stringContaining('cut off or changed') }] });
  });

  it.each<[string, string]>([
    // A tool may write what it wants into its own part of an answer.
    ['a receipt of a tool', `{"content":[],"structuredContent":{"_meta":{"devs/receipt":${receipt}}}}`],
    ['a receipt in a text', JSON.stringify({ content: [{ type: 'text', text: `"_meta":{"devs/receipt":${receipt}}` }] })],
    ['other JSON', '{"level":30,"message":"seq"}'],
    ['many brackets', '{'.repeat(100_000)],
    ['nothing', ''],
  ])('passes over %s', (_name, text) => {
    expect(readHeads(text)).toEqual({ found: [], refused: [] });
  });

  it('never throws, whatever the text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => Array.isArray(readHeads(`${text}{"head":"${text}`).found)));
  });
});

describe('readPublicKey', () => {
  const pem = signer.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const der = signer.publicKey.export({ type: 'spki', format: 'der' });

  it.each<[string, string]>([
    ['PEM', pem],
    ['base64 of the bytes', signer.id],
    ['base64 of the bytes, in a file', `${signer.id}\n`],
    ['base64 of the SPKI', der.toString('base64')],
  ])('understands %s', (_name, text) => {
    expect(toKeyId(readPublicKey(text))).toBe(signer.id);
  });

  it.each<[string, string, string]>([
    ['nothing', '', 'no public key'],
    ['words', 'hello', 'no public key'],
    ['a huge text', 'A'.repeat(100_000), 'no public key'],
    ['a broken PEM', pem.slice(0, 60), 'no public key'],
    ['31 bytes', Buffer.alloc(31, 1).toString('base64'), 'no public key'],
    ['a key of another kind', generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'no public key'],
    ['the private key', signer.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 'a private key'],
  ])('refuses %s', (_name, text, said) => {
    expect(() => readPublicKey(text)).toThrow(said);
  });

  it('gives a key that verifies what the private one signs', () => {
    const privateKey = createPrivateKey(signer.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    expect(judgeHead(signHead({ store: STORE, seq: 1, leaf: leaf(1) }, { privateKey, id: signer.id }, AT), readPublicKey(pem))).toBe('valid');
  });
});
