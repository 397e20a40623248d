import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate for these names and addresses that vouches for itself. Made anew: no key lies in the repository. */
export function createCertificate({ names = [], addresses = [] }: { readonly names?: readonly string[]; readonly addresses?: readonly string[] }): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = tbs(publicKey, [...names.map((name) => der(0x82, Buffer.from(name))), ...addresses.map((address) => der(0x87, Buffer.from(address.split('.').map(Number))))]);
  const signature = sign('sha256', body, privateKey);
  const certificate = sequence(body, ECDSA_SHA256, der(0x03, Buffer.concat([Buffer.of(0), signature])));
  return { key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })), cert: pem(certificate) };
}

/** Distinguished encoding (X.690). */
function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const header = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...header), content]);
}

function sequence(...contents: readonly Uint8Array[]): Buffer {
  return der(0x30, ...contents);
}

const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
const NAME = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from('devs test')))));

function tbs(publicKey: KeyObject, alternativeNames: readonly Buffer[]): Buffer {
  const time = (text: string) => der(0x18, Buffer.from(text));
  const isAuthority = sequence(oid('551d13'), der(0x04, sequence(der(0x01, Buffer.of(0xff)))));
  const names = sequence(oid('551d11'), der(0x04, sequence(...alternativeNames)));
  return sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    ECDSA_SHA256,
    NAME,
    sequence(time('20000101000000Z'), time('29990101000000Z')),
    NAME,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(isAuthority, names)),
  );
}

function pem(bytes: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;
}
