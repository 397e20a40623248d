import { BlockList, isIPv4 } from 'node:net';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isInBlock, isPublicAddress, readAddress, toBlock } from '../public-address.ts';

test.each([
  '1.1.1.1', '8.8.8.8', '93.184.216.34', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0',
  '168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0', '192.167.255.255',
  '192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255', '2001:200::1', '2001:4860:4860::8888', '2606:4700:4700::1111', '2a00::1',
  '2620:4f:7fff::1', '3fff:1000::1',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ['this network', '0.0.0.0'], ['this network', '0.255.255.255'], ['private', '10.0.0.0'], ['private', '10.255.255.255'],
  ['carrier-grade NAT', '100.64.0.0'], ['carrier-grade NAT', '100.127.255.255'], ['metadata of a cloud', '100.100.100.200'],
  ['loopback', '127.0.0.1'], ['loopback', '127.255.255.255'], ['link local', '169.254.0.0'], ['metadata', '169.254.169.254'],
  ['a host of its machines', '168.63.129.16'], ['private', '172.16.0.0'], ['private', '172.31.255.255'], ['protocols', '192.0.0.8'], ['protocols', '192.0.0.192'],
  ['documentation', '192.0.2.1'], ['AS112', '192.31.196.1'], ['AMT', '192.52.193.1'], ['6to4 relay', '192.88.99.1'], ['private', '192.168.0.1'], ['AS112', '192.175.48.1'],
  ['benchmarking', '198.18.0.1'], ['benchmarking', '198.19.255.255'], ['documentation', '198.51.100.1'], ['documentation', '203.0.113.1'],
  ['multicast', '224.0.0.1'], ['multicast', '239.255.255.255'], ['reserved', '240.0.0.1'], ['broadcast', '255.255.255.255'],
  ['unspecified', '::'], ['loopback', '::1'], ['mapped', '::ffff:127.0.0.1'], ['mapped', '::ffff:7f00:1'], ['mapped public', '::ffff:8.8.8.8'], ['compatible', '::127.0.0.1'],
  ['compatible', '::8.8.8.8'], ['translated', '::ffff:0:8.8.8.8'], ['NAT64', '64:ff9b::127.0.0.1'], ['NAT64', '64:ff9b::808:808'], ['local NAT64', '64:ff9b:1::1'],
  ['discard', '100::1'], ['dummy', '100:0:0:1::1'], ['Teredo', '2001::1'], ['benchmarking', '2001:2::1'], ['ORCHID', '2001:10::1'], ['ORCHIDv2', '2001:20::1'], ['protocols', '2001:1ff::1'],
  ['documentation', '2001:db8::1'], ['6to4 of loopback', '2002:7f00:1::1'], ['6to4', '2002:808:808::1'], ['AS112', '2620:4f:8000::1'], ['documentation', '3fff::1'],
  ['documentation', '3fff:fff::1'], ['6bone', '3ffe::1'], ['not given out', '4000::1'], ['segment routing', '5f00::1'], ['unique local', 'fc00::1'], ['unique local', 'fd00:ec2::254'],
  ['link local', 'fe80::1'], ['with a zone', 'fe80::1%lo'], ['public with a zone', '2606:4700::1%lo'], ['site local', 'fec0::1'], ['multicast', 'ff02::1'],
  ['octal', '0177.0.0.1'], ['hexadecimal', '0x7f.0.0.1'], ['short', '127.1'], ['a number', '2130706433'], ['too large', '256.1.1.1'], ['a name', 'example.com'],
  ['nothing', ''], ['in brackets', '[2606:4700::1]'], ['with a port', '8.8.8.8:80'], ['with a space', '8.8.8.8 '],
])('%s: %s is not', (_, address) => {
  expect(isPublicAddress(address)).toBe(false);
});

const ipv4 = fc.ipV4();
const ipv6 = fc.ipV6();

test('law: an address is in a block exactly when node:net says so of its block list', () => {
  const pairs = fc.oneof(fc.tuple(ipv4, ipv4), fc.tuple(ipv6, ipv6));
  fc.assert(
    // Few bits, or hardly any address would be in any block.
    fc.property(pairs, fc.oneof(fc.nat(8), fc.nat(128)), ([address, start], bits) => {
      const family = isIPv4(start) ? 'ipv4' : 'ipv6';
      const prefix = Math.min(bits, family === 'ipv4' ? 32 : 128);
      const list = new BlockList();
      list.addSubnet(start, prefix, family);
      const read = readAddress(address);
      expect(read !== undefined && isInBlock(read, toBlock(`${start}/${String(prefix)}`))).toBe(list.check(address, family));
    }),
    { numRuns: 2_000 },
  );
});

test('law: what is public begins with 001, or is an IPv4 address below multicast', () => {
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6), (address) => {
      const bits = readAddress(address);
      if (bits === undefined || !isPublicAddress(address)) return;
      expect(bits.width === 128 ? bits.value >> 125n === 1n : bits.value >> 28n < 14n).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test.each(['10.0.0.0', '10.0.0.0/33', '10.0.0/8', '::/129', '10.0.0.0/-1', '10.0.0.0/x', ''])('%j is no block', (text) => {
  expect(() => toBlock(text)).toThrow(RangeError);
});
