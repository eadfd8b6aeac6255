import { Resolver } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import tls from 'node:tls';
import type { OnPremiseSettings } from '../config/index.ts';
import { createAddressRules, type AddressRules } from '@kethub/runtime/addresses';
import { isAllowedPort, type Destination } from './target.ts';

/** All IP addresses of a name. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** Connections to targets, kept alive between calls. Every one goes to an address that was checked when it was made. */
export interface Connections {
  /** Begins a request. Throws Refused when the target is not allowed any more; a refused address is an error of the request. */
  request(target: Destination, options: http.RequestOptions): http.ClientRequest;
  close(): void;
}

/** The gateway does not connect to this target as the installation is set up. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** Shorter than what servers keep an idle connection open (Node: 5 s), so that they hardly ever close one under a request. */
const IDLE_MS = 4_000;
const IDLE_CONNECTIONS_PER_HOST = 64;

export function createConnections(settings: OnPremiseSettings, resolve: Resolve = resolveByDns()): Connections {
  const rules = createAddressRules(settings.networks);
  const keepAlive = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: IDLE_CONNECTIONS_PER_HOST };
  const lookup = guardedLookup(rules, resolve);
  const secure = new https.Agent({ ...keepAlive, lookup, ...trust(settings) });
  const plain = new http.Agent({ ...keepAlive, lookup });
  return {
    request(target, options) {
      requireAllowed(settings, rules, target);
      const to = { ...options, hostname: target.hostname, port: target.port, setHost: false };
      return target.secure
        ? https.request({ ...to, agent: secure, rejectUnauthorized: true })
        : http.request({ ...to, agent: plain });
    },
    close() {
      secure.destroy();
      plain.destroy();
    },
  };
}

/** What was allowed when the target was set may not be any more. An address is not looked up and so is checked here. */
function requireAllowed(settings: OnPremiseSettings, rules: AddressRules, target: Destination): void {
  if (!target.secure && !settings.http) throw new Refused('Targets must be reached over TLS');
  if (!isAllowedPort(settings, target.port)) throw new Refused(`Port ${target.port} is not allowed`);
  if (isIP(target.hostname) !== 0 && !rules.allows(target.hostname)) {
    throw new Refused(`${target.hostname} is not allowed`);
  }
}

/**
 * Resolves and checks in one step for every new connection, which then goes to the very address that was checked: a name
 * that resolves to something else a moment later (DNS rebinding) gains nothing.
 */
function guardedLookup(rules: AddressRules, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const allowed = addresses.filter((address) => rules.allows(address));
        const [first] = allowed;
        if (first === undefined) {
          const what = addresses.length === 0 ? 'no address' : 'only addresses that are not allowed';
          callback(new Refused(`${hostname} has ${what}`), []);
        } else if (options.all)
          callback(
            null,
            allowed.map((address) => ({ address, family: isIP(address) })),
          );
        else callback(null, first, isIP(first));
      },
      (error: Error) => callback(error, []),
    );
  };
}

/**
 * By DNS alone. The resolver of the system (getaddrinfo) occupies one of the four threads that also read files and hash:
 * four names whose servers do not answer would stop the platform.
 */
function resolveByDns(): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failure = answers.find((answer) => answer.status === 'rejected');
    if (addresses.length === 0 && failure) throw failure.reason;
    return addresses;
  };
}

function trust({ certificates }: OnPremiseSettings): { ca?: string[] } {
  return certificates === null ? {} : { ca: [...tls.getCACertificates('default'), certificates] };
}

/** Whether the server had closed an idle connection when this, which nothing has answered, was sent on it. */
export function wasIdle({ reusedSocket }: http.ClientRequest, error: unknown): boolean {
  return reusedSocket && error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}
