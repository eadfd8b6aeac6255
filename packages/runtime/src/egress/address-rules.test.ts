import { describe, expect, test } from 'vitest';
import { createAddressRules } from './address-rules.ts';

const rules = createAddressRules([]);

test.each([
  ['unspecified', '0.0.0.0'],
  ['this network', '0.1.2.3'],
  ['loopback', '127.0.0.1'],
  ['loopback, far end', '127.255.255.254'],
  ['private 10/8', '10.0.0.1'],
  ['private 172.16/12, first', '172.16.0.0'],
  ['private 172.16/12, last', '172.31.255.255'],
  ['private 192.168/16', '192.168.1.1'],
  ['CGNAT', '100.64.0.1'],
  ['CGNAT, last', '100.127.255.255'],
  ['link-local', '169.254.1.1'],
  ['metadata', '169.254.169.254'],
  ['metadata of Azure', '168.63.129.16'],
  ['metadata of Alibaba', '100.100.100.200'],
  ['protocol assignments', '192.0.0.8'],
  ['documentation', '192.0.2.1'],
  ['benchmarking', '198.19.0.1'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['IPv6 unspecified', '::'],
  ['IPv6 loopback', '::1'],
  ['IPv6 loopback, long', '0:0:0:0:0:0:0:1'],
  ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
  ['IPv4-mapped in hex', '::ffff:7f00:1'],
  ['IPv4-mapped private', '::ffff:10.0.0.1'],
  ['IPv4-compatible', '::127.0.0.1'],
  ['NAT64', '64:ff9b::7f00:1'],
  ['NAT64, local', '64:ff9b:1::1'],
  ['6to4 of loopback', '2002:7f00:1::'],
  ['Teredo', '2001:0:1::1'],
  ['ULA', 'fd00::1'],
  ['ULA fc', 'fc00::1'],
  ['metadata over IPv6', 'fd00:ec2::254'],
  ['IPv6 link-local', 'fe80::1'],
  ['IPv6 link-local with a zone', 'fe80::1%eth0'],
  ['a public address with a zone', '2606:4700::1111%1'],
  ['site-local', 'fec0::1'],
  ['IPv6 multicast', 'ff02::1'],
  ['IPv6 documentation', '2001:db8::1'],
  ['IPv6 documentation, new', '3fff::1'],
  ['no address', 'localhost'],
  ['decimal', '2130706433'],
  ['octal', '0177.0.0.1'],
  ['nothing', ''],
])('%s: %s is not connected to', (_what, address) => expect(rules.allows(address)).toBe(false));

test.each(['8.8.8.8', '172.32.0.1', '172.15.255.255', '100.63.255.255', '128.0.0.1', '2606:4700:4700::1111'])(
  'the public address %s is connected to',
  (address) => expect(rules.allows(address)).toBe(true),
);

describe('networks that the installation opens', () => {
  const opened = createAddressRules(['10.1.0.0/16', 'fd12::/16', '127.0.0.1', '169.254.0.0/16']);
  test.each(['10.1.255.255', 'fd12::5', '127.0.0.1', '169.254.1.1', '8.8.8.8'])('%s is connected to', (address) =>
    expect(opened.allows(address)).toBe(true),
  );
  test.each(['10.2.0.0', 'fd13::5', '127.0.0.2', '169.254.169.254', '::1'])('%s is not', (address) =>
    expect(opened.allows(address)).toBe(false),
  );
});
