import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startOutside, type Outside } from '../../../../script/kubernetes/outside.ts';
import type { Cluster } from '../../../../script/kubernetes.ts';
import { openBench, type Bench } from '../testing/bench.ts';
import { openCluster, settingsFor } from '../testing/cluster.ts';

/**
 * Asks each address, once policies are enforced: the network learns the address of a pod from the cluster, a moment after
 * its start. It is told by an address that must not be reached; with none it goes on at once.
 */
const ASKS = `
import socket
def ask(host, port):
    try:
        with socket.create_connection((host, port), 3) as connection:
            return connection.recv(100).decode()
    except OSError as error:
        return type(error).__name__
def run(addresses, forbidden):
    while forbidden and ask(*forbidden) != "TimeoutError":
        pass
    return [ask(*address) for address in addresses]
`;

describe.skipIf(process.getuid?.() !== 0)('network policies on a real Kubernetes', () => {
  let cluster: Cluster;
  let outside: Outside;
  let bench: Bench;

  beforeAll(async () => {
    cluster = await openCluster({ policies: true });
    outside = await startOutside(cluster.address);
    bench = await openBench({ kubernetes: await settingsFor(cluster), serviceNetworks: [outside.network] });
  }, 3_600_000);
  afterAll(async () => {
    await bench?.close();
    await outside?.stop();
    await cluster?.stop();
  });

  /** Returns what a program gets from every address and port outside, with these declared hosts. */
  const reached = async (hosts: string[]): Promise<unknown> => {
    const addresses = outside.addresses.flatMap((host) => outside.ports.map((port) => [host, port] as const));
    const forbidden = addresses.find(([host, port]) => !hosts.includes(`${host}:${port}`)) ?? null;
    return bench.result(ASKS, { hosts, input: { addresses, forbidden } });
  };
  const NOT = 'TimeoutError';

  test('a program reaches the hosts that its version declares, at their ports, and nothing else', async () => {
    const [[one, other], [port, further]] = [outside.addresses, outside.ports];
    expect(await reached([`${one}:${port}`])).toEqual([`${one}:${port}`, NOT, NOT, NOT]);
    expect(await reached([`${other}:${further}`])).toEqual([NOT, NOT, NOT, `${other}:${further}`]);
  }, 180_000);

  test('a program without declared hosts reaches nothing', async () => {
    expect(await reached([])).toEqual([NOT, NOT, NOT, NOT]);
  }, 180_000);

  test('a program that declares them all reaches them all', async () => {
    const all = outside.addresses.flatMap((host) => outside.ports.map((port) => `${host}:${port}`));
    expect(await reached(all)).toEqual(all);
  }, 180_000);
});
