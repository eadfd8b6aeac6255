import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import type { AddressRules } from './address-rules.ts';
import type { Names } from './names.ts';

export interface Destination {
  readonly host: string;
  readonly port: number;
}

/** The connection is not allowed. The message is for the author of the service. */
export class Refused extends Error {}

/** Milliseconds for a connection, once the name is resolved. Beyond them it fails. */
const CONNECT_MS = 10_000;
/** Milliseconds for one of several addresses. Beyond them the next one is tried. */
const ATTEMPT_MS = 2_500;

/**
 * Connects to a host at the addresses that were checked: a name that resolves differently a moment later gains nothing.
 * It stops when `gone` is aborted.
 * @throws Refused when no address is allowed.
 */
export async function connectTo(
  { host, port }: Destination,
  { names, rules }: { names: Names; rules: () => AddressRules },
  gone: AbortSignal,
): Promise<Socket> {
  const found = isIP(host) === 0 ? await names.addresses(host) : [host];
  const allowed = found.filter((address) => rules().allows(address));
  if (allowed.length === 0) {
    throw new Refused(`${host} is at an address of a private network, which the operator has not opened to services`);
  }
  gone.throwIfAborted();
  const socket = connect({ host, port, lookup: only(allowed), autoSelectFamilyAttemptTimeout: ATTEMPT_MS });
  const abort = (): unknown => socket.destroy(new Error('nobody waits any more'));
  const late = setTimeout(() => socket.destroy(new Error('it did not answer')), CONNECT_MS);
  gone.addEventListener('abort', abort, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return socket;
  } finally {
    clearTimeout(late);
    gone.removeEventListener('abort', abort);
  }
}

function only(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, _options, callback) => callback(null, all);
}
