import type { IncomingMessage } from 'node:http';
import { createAddressRules } from '@kethub/runtime/addresses';
import type { FastifyRequest } from 'fastify';
import type { Platform } from '../../foundation/platform.ts';

const addresses = new WeakMap<IncomingMessage, string | null>();
const publicAddresses = createAddressRules([]);
/** Headers that a proxy adds to a request that it forwards. */
const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'] as const;
/** Databases of this process whose operator was warned already. */
const warned = new WeakSet<Platform['database']>();

/**
 * Remembers the client address of a request, as the server judges it, for handlers that see only the bare request. The
 * address is null when it may belong to a proxy that the configuration does not name: then all clients would share it.
 */
export function rememberClientAddress(platform: Platform, request: FastifyRequest): void {
  const isProxy = platform.configuration.trustedProxies.length === 0 && mayBeProxy(request);
  addresses.set(request.raw, isProxy ? null : request.ip);
  if (!isProxy || warned.has(platform.database)) return;
  warned.add(platform.database);
  platform.log.warn(
    { proxy: request.ip },
    `requests come through a proxy that KETHUB_TRUSTED_PROXIES does not name: wrong passwords are counted by account only. Set KETHUB_TRUSTED_PROXIES=${request.ip}`,
  );
}

/** The client address of the request; null when it is not known. */
export function clientAddressOf(request: IncomingMessage): string | null {
  return addresses.get(request) ?? null;
}

/** Returns whether a request comes from this machine or its networks and has the headers of a proxy. */
function mayBeProxy({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): boolean {
  if (PROXY_HEADERS.every((name) => headers[name] === undefined)) return false;
  const [, mapped = ip] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip) ?? [];
  return !publicAddresses.allows(mapped);
}

/** Warns at the start when TLS needs a proxy and none is named: all clients would have the address of the proxy. */
export function warnOfUnknownProxy({ configuration, log }: Platform): void {
  const { publicUrl, trustedProxies } = configuration;
  if (trustedProxies.length > 0 || !publicUrl?.startsWith('https:')) return;
  log.warn(
    'KETHUB_PUBLIC_URL is https, so that a proxy ends TLS, and KETHUB_TRUSTED_PROXIES names none: wrong passwords are counted by account only. Set KETHUB_TRUSTED_PROXIES to the address of the proxy',
  );
}
