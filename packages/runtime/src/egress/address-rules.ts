import { BlockList, isIP } from 'node:net';

/** Decides which addresses may be connected to on behalf of others. */
export interface AddressRules {
  /** Returns whether an IP address, in any of its notations, may be connected to. False for any other text. */
  allows(address: string): boolean;
  /** Networks that the operator opens, such as `10.1.0.0/16`. */
  readonly networks: readonly string[];
}

/** The IANA special-purpose registry of IPv4: everything that is not globally reachable, and multicast. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Global unicast. Loopback, ULA, link-local, multicast, IPv4-mapped and NAT64 addresses are all outside. */
const GLOBAL_IPV6 = '2000::/3';
/**
 * Special ranges inside it: protocol assignments with Teredo, documentation, and 6to4, which leads to any IPv4 address.
 */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
/**
 * Addresses at which clouds give out the machine's credentials. They are never allowed, even within the operator's
 * networks.
 */
const METADATA = [
  '169.254.169.254/32',
  '169.254.170.2/32',
  '168.63.129.16/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
];

const special = listOf([...SPECIAL_IPV4, ...SPECIAL_IPV6]);
const globalIpv6 = listOf([GLOBAL_IPV6]);
const metadata = listOf(METADATA);

/** Rules that allow public addresses and those of `networks`, but never the metadata service of a cloud. */
export function createAddressRules(networks: readonly string[]): AddressRules {
  const opened = listOf(networks);
  return {
    networks,
    allows(address) {
      const version = isIP(address);
      // A zone (fe80::1%eth0) makes an address link-local.
      if (version === 0 || address.includes('%')) return false;
      const family = version === 6 ? 'ipv6' : 'ipv4';
      if (metadata.check(address, family)) return false;
      if (opened.check(address, family)) return true;
      return !special.check(address, family) && (version === 4 || globalIpv6.check(address, family));
    },
  };
}

/** @throws when a text is no network. */
function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
