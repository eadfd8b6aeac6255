import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeCertificate } from '../../script/kubernetes/certificates.ts';
import type { ChartCluster } from './chart-cluster.ts';

const GROUP = 'external.metrics.k8s.io';
const ROOT = `/apis/${GROUP}/v1beta1`;

/** The value of a metric at an address of Prometheus's format. */
export async function metricAt(address: string, name: string): Promise<number> {
  const text = await (await fetch(`http://${address}/metrics`)).text();
  const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(text) ?? [];
  if (value === undefined) throw new Error(`${address} has no ${name}`);
  return Number(value);
}

/**
 * Stands in for a Prometheus with its adapter: the API of external metrics of a cluster. It answers the largest value that
 * the given addresses report now. A horizontal autoscaler asks it through the API server.
 */
export async function serveExternalMetrics(
  { cluster, folder, create }: ChartCluster,
  addresses: () => Promise<readonly string[]>,
): Promise<{ close(): Promise<void> }> {
  const { certFile, keyFile } = makeCertificate(folder, cluster.address);
  const answer = async (path: string): Promise<object | null> => {
    if (path === ROOT) return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${GROUP}/v1beta1`, resources: [] };
    const name = new RegExp(`^${ROOT}/namespaces/kethub/(\\w+)$`).exec(path)?.[1];
    if (name === undefined) return null;
    const values = await Promise.all((await addresses()).map((address) => metricAt(address, name)));
    const item = { metricName: name, metricLabels: {}, timestamp: new Date().toISOString(), value: String(Math.max(...values)) };
    return { kind: 'ExternalMetricValueList', apiVersion: `${GROUP}/v1beta1`, metadata: {}, items: [item] };
  };
  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, (request, response) => {
    const send = (status: number, body: object): void => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    answer(new URL(request.url ?? '', 'https://a').pathname).then((body) => (body === null ? send(404, {}) : send(200, body)), (error: unknown) => send(500, { message: String(error) }));
  });
  server.listen(0, cluster.address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const metadata = { name: 'metrics-adapter' };
  const ports = [{ name: 'https', port: 443, targetPort: port }];
  await create('/api/v1/namespaces/default/services', { metadata, spec: { ports } });
  await create('/api/v1/namespaces/default/endpoints', { metadata, subsets: [{ addresses: [{ ip: cluster.address }], ports: [{ name: 'https', port }] }] });
  const service = { namespace: 'default', name: 'metrics-adapter', port: 443 };
  await create('/apis/apiregistration.k8s.io/v1/apiservices', {
    metadata: { name: `v1beta1.${GROUP}` },
    spec: { group: GROUP, version: 'v1beta1', groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true, service },
  });
  return {
    async close() {
      // An API that does not answer keeps every namespace from being deleted.
      await cluster.ask('DELETE', `/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.${GROUP}`);
      server.closeAllConnections();
      server.close();
    },
  };
} // prettier-ignore
