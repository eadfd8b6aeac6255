import { createAddressRules } from '@kethub/runtime/addresses';
import { Problem } from '../../../foundation/http/index.ts';

const POINTER = '/url';

/**
 * Checks the address of a repository without resolving its name; the proxy judges the address of every connection.
 * Returns it in its normal form. Throws invalid-request.
 */
export function requireImportUrl(text: string, networks: readonly string[]): string {
  const url = URL.parse(text);
  if (!url || url.hostname === '') throw invalid('is no address');
  if (url.protocol !== 'https:') throw invalid('must begin with https://');
  if (url.username !== '' || url.password !== '') throw invalid('must not hold credentials; send them as "credential"');
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text)) throw invalid('must not hold a query or a fragment');
  if (/%(?:0[0-9a-f]|1[0-9a-f]|7f)/i.test(url.pathname)) throw invalid('must not hold control characters');
  const { host, isAddress } = hostOf(url);
  if (isAddress && !createAddressRules(networks).allows(host))
    throw invalid('lies in a private network, which the operator has not opened to imports (KETHUB_IMPORT_NETWORKS)');
  return url.href;
}

/** The server of a checked address, as the proxy knows it: `host:port`. */
export function serverOf(address: string): string {
  const url = new URL(address);
  return `${hostOf(url).host}:${url.port === '' ? 443 : url.port}`;
}

function hostOf({ hostname }: URL): { host: string; isAddress: boolean } {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return { host, isAddress: hostname.startsWith('[') || /^[\d.]+$/.test(host) };
}

function invalid(detail: string): Problem {
  return new Problem('invalid-request', `The address of the repository ${detail}.`, {
    errors: [{ pointer: POINTER, detail }],
  });
}
