import { BlockList, isIP } from 'node:net';
import { Refusal } from './refusal.ts';

/** Splits a list at commas and white space. */
export function listOf(text = ''): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** Reads a list of networks. Throws Refusal, which names `setting`, for an entry that is no network. */
export function networksOf(setting: string, text: string | undefined): string[] {
  return listOf(text).map((one) => network(setting, one));
}

function network(setting: string, text: string): string {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  try {
    if (version === 0 || rest.length > 0 || address.includes('%')) throw new Error('no address');
    if (bits !== undefined) {
      if (!/^\d{1,3}$/.test(bits)) throw new Error('no prefix');
      new BlockList().addSubnet(address, Number(bits), version === 6 ? 'ipv6' : 'ipv4');
    }
  } catch {
    throw new Refusal(`${setting} holds ${text}, which is no network. Write it as 10.1.0.0/16.`);
  }
  return text;
}
