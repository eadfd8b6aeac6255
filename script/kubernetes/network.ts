import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

/** Links and addresses of a cluster on this machine. */
export interface Network {
  /** Number by which clusters of one machine differ. */
  readonly number: number;
  /** Address of the node, and the link that has it. */
  readonly address: string;
  readonly link: string;
  /** Networks of pods and of services. */
  readonly pods: string;
  readonly services: string;
  /** Link between the pods, which the first one makes. */
  readonly bridge: string;
  release(): void;
}

/** Takes a bridge with an address for the node, and networks for pods and services that no link of this machine has. */
export function takeNetwork(): Network {
  for (let number = 1; number < 60; number++) {
    const link = `kethubn${number}`;
    if (spawnSync('ip', ['link', 'add', link, 'type', 'bridge'], { stdio: 'ignore' }).status !== 0) continue;
    const prefix = `10.${190 + number}`;
    const address = `${prefix}.0.1`;
    execFileSync('ip', ['address', 'add', `${address}/32`, 'dev', link]);
    execFileSync('ip', ['link', 'set', link, 'up']);
    writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
    const bridge = `kethubp${number}`;
    return {
      number,
      address,
      link,
      pods: `${prefix}.64.0/18`,
      services: `${prefix}.128.0/18`,
      bridge,
      release() {
        for (const one of [link, bridge]) spawnSync('ip', ['link', 'delete', one], { stdio: 'ignore' });
      },
    };
  }
  throw new Error('No network is free for a cluster. Remove the links kethubn… of runs that were killed.');
}

/** The address at which pods find the API server: the first of the network of services. */
export function serviceOfApi({ services }: Network): string {
  return services.replace('.0/18', '.1');
}

/** Settings for the network of pods, in the form of CNI. `folder`: where it keeps the addresses that are taken. */
export function podNetwork({ bridge, pods }: Network, folder: string): object {
  const ipam = { type: 'host-local', ranges: [[{ subnet: pods }]], dataDir: folder };
  const link = { type: 'bridge', bridge, isDefaultGateway: true, ipMasq: false, hairpinMode: true, ipam };
  return { cniVersion: '0.4.0', name: 'kethub', plugins: [link, { type: 'loopback' }] };
}
