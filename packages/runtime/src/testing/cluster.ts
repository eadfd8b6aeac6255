import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../../script/free-port.ts';
import { buildKubernetes } from '../../../../script/kubernetes/build.ts';
import { PYTHON } from '../../../../script/kubernetes/images.ts';
import { kubernetesTools, startKubernetes, type Cluster } from '../../../../script/kubernetes.ts';
import { ensureTools } from '../../../../script/system-tools.ts';
import type { KubernetesSettings } from '../index.ts';

const MANIFEST = join(import.meta.dirname, '../../../../deploy/kubernetes/namespace.yaml');
export const NAMESPACE = 'kethub-executions';
const PATHS: Readonly<Record<string, string>> = {
  Namespace: '/api/v1/namespaces',
  ServiceAccount: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`,
  Role: `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/roles`,
  RoleBinding: `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/rolebindings`,
};

/** Starts a real cluster of one node, with the namespace and the rights of the manifest that operators apply. */
export async function openCluster(): Promise<Cluster> {
  ensureTools(kubernetesTools, () => undefined);
  const cluster = await startKubernetes(buildKubernetes(() => undefined));
  for (const document of readFileSync(MANIFEST, 'utf8').split(/^---$/m)) {
    const kind = /^kind: (\w+)$/m.exec(document)?.[1] ?? '';
    const { status, body } = await cluster.ask('POST', PATHS[kind] ?? '', document);
    if (status !== 201) throw new Error(`${kind} of ${MANIFEST}: ${JSON.stringify(body)}`);
  }
  return cluster;
}

/** Settings of a platform that has the rights of the manifest, and nothing else. */
export async function settingsFor(cluster: Cluster, seconds = 7_200): Promise<KubernetesSettings> {
  const folder = mkdtempSync(join(tmpdir(), 'kethub-token-'));
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, await tokenOf(cluster, seconds), { mode: 0o600 });
  const port = await freePort();
  return {
    server: cluster.server,
    namespace: NAMESPACE,
    caFile: cluster.caFile,
    tokenFile,
    image: PYTHON,
    port,
    url: `http://${cluster.address}:${port}`,
    tls: null,
    gpuResource: 'example.com/gpu',
    resources: {},
    nodeSelector: {},
  };
}

/** A token of the platform's service account, as the cluster would renew it. */
export async function tokenOf(cluster: Cluster, expirationSeconds: number): Promise<string> {
  const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/kethub/token`;
  const { body } = await cluster.ask('POST', path, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds } }); // prettier-ignore
  return (body as { status: { token: string } }).status.token;
}
