import type { RuntimeConfiguration } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';

/** Highest port of TCP. A host with a higher one is refused. */
const HIGHEST_PORT = 65_535;

/** The hosts that a stored configuration declares, for subscribers; empty for an on-premise service. */
export function declaredHosts(configuration: string): { hosts?: string[] } {
  const { runtime, hosts = [] } = JSON.parse(configuration) as Partial<RuntimeConfiguration>;
  return runtime === undefined ? {} : { hosts };
}

/** The hosts in the form of the runtime, each with its port. */
export function hostsWithPorts(hosts: readonly string[] = []): string[] {
  return hosts.map((host) => (host.includes(':') ? host : `${host}:443`));
}

/** Throws invalid-request for a port that does not exist. `at` is the JSON Pointer of the configuration. */
export function requireHosts({ hosts = [] }: RuntimeConfiguration, at: string): void {
  const errors = hosts.flatMap((host, index) =>
    Number(host.split(':')[1] ?? 443) > HIGHEST_PORT
      ? [{ pointer: `${at}/hosts/${index}`, detail: `has a port above ${HIGHEST_PORT}` }]
      : [],
  );
  if (errors.length === 0) return;
  const sentences = errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
  throw new Problem('invalid-request', `These hosts cannot be called: ${sentences}.`, { errors });
}
