import type { IncomingMessage } from 'node:http';
import { createAddressRules } from '@kethub/runtime/addresses';
import type { FastifyRequest } from 'fastify';
import type { Platform } from '../../foundation/platform.ts';

const addresses = new WeakMap<IncomingMessage, string | null>();
const publicOnes = createAddressRules([]);
/** What a proxy adds to a request that it passes on. */
const OF_PROXIES = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'] as const;
const told = new WeakSet<Platform['database']>();

/**
 * Remembers from where a request comes, as the server judges it, for the handlers that see only the bare request. Null when
 * that may be the address of a proxy that the configuration does not name: then everybody has it.
 */
export function rememberClientAddress(platform: Platform, request: FastifyRequest): void {
  const isProxy = platform.configuration.trustedProxies.length === 0 && mayBeProxy(request);
  addresses.set(request.raw, isProxy ? null : request.ip);
  if (!isProxy || told.has(platform.database)) return;
  told.add(platform.database);
  platform.log.warn(
    { proxy: request.ip },
    `requests come through a proxy that KETHUB_TRUSTED_PROXIES does not name: wrong passwords are counted by account only. Set KETHUB_TRUSTED_PROXIES=${request.ip}`,
  );
}

/** From where the request comes, or null when that is not known. */
export function clientAddressOf(request: IncomingMessage): string | null {
  return addresses.get(request) ?? null;
}

/** Whether a request comes from this machine or its networks and says that it was passed on. */
function mayBeProxy({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): boolean {
  if (OF_PROXIES.every((name) => headers[name] === undefined)) return false;
  const [, mapped = ip] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip) ?? [];
  return !publicOnes.allows(mapped);
}

/** Says at the start that the address of everybody will be that of the proxy, where there has to be one. */
export function warnOfUnknownProxy({ configuration, log }: Platform): void {
  const { publicUrl, trustedProxies } = configuration;
  if (trustedProxies.length > 0 || !publicUrl?.startsWith('https:')) return;
  log.warn(
    'KETHUB_PUBLIC_URL is https, so that a proxy ends TLS, and KETHUB_TRUSTED_PROXIES names none: wrong passwords are counted by account only. Set KETHUB_TRUSTED_PROXIES to the address of the proxy',
  );
}
