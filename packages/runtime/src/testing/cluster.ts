import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../../script/free-port.ts';
import { BUILDER, buildBuilder } from '../../../../script/image/builder.ts';
import { buildKubernetes, buildPolicies } from '../../../../script/kubernetes/build.ts';
import { PYTHON } from '../../../../script/kubernetes/images.ts';
import { kubernetesTools, startKubernetes, type Cluster } from '../../../../script/kubernetes.ts';
import { REGISTRY_USER, registryTools, startRegistry, type Registry } from '../../../../script/registry.ts';
import { ensureTools } from '../../../../script/system-tools.ts';
import type { KubernetesSettings } from '../index.ts';
import type { RegistrySettings } from '../kubernetes/settings.ts';

const MANIFESTS = join(import.meta.dirname, '../../../../deploy/kubernetes');
export const NAMESPACE = 'kethub-executions';
export const BUILDS = 'kethub-builds';
const GROUPS: Readonly<Record<string, string>> = {
  Namespace: '/api/v1/namespaces',
  ServiceAccount: '/api/v1/namespaces/{namespace}/serviceaccounts',
  Role: '/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/roles',
  RoleBinding: '/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/rolebindings',
};

/** Starts a real cluster of one node, with the namespaces and the rights of the manifests that operators apply. */
export async function openCluster({ policies = false } = {}): Promise<Cluster> {
  ensureTools(kubernetesTools, () => undefined);
  const enforced = policies ? { policies: buildPolicies(() => undefined) } : {};
  const cluster = await startKubernetes(buildKubernetes(() => undefined), enforced);
  for (const [manifest, namespace] of [['namespace.yaml', NAMESPACE], ['builds.yaml', BUILDS]] as const)
    for (const document of readFileSync(join(MANIFESTS, manifest), 'utf8').split(/^---$/m)) {
      const kind = /^kind: (\w+)$/m.exec(document)?.[1] ?? '';
      const where = (GROUPS[kind] ?? '').replace('{namespace}', namespace);
      const { status, body } = await cluster.ask('POST', where, document);
      if (status !== 201) throw new Error(`${kind} of ${manifest}: ${JSON.stringify(body)}`);
    }
  return cluster;
} // prettier-ignore

/** Two registries beside a cluster: one for images that asks for a user, and one for bases of Dockerfiles. */
export interface Registries {
  readonly images: Registry;
  readonly bases: Registry;
  readonly settings: RegistrySettings;
  stop(): Promise<void>;
}

/** Starts the registries, lets the node pull from them, and loads the image that builds. */
export async function openRegistries(cluster: Cluster): Promise<Registries> {
  ensureTools(registryTools, () => undefined);
  const images = await startRegistry(cluster.address, 'USER');
  const bases = await startRegistry(cluster.address, 'ANYBODY');
  for (const { host } of [images, bases]) cluster.trust(host);
  cluster.load(await buildBuilder(() => undefined));
  for (const namespace of [NAMESPACE, BUILDS])
    await keepCredential(cluster, namespace, images.host, REGISTRY_USER.password);
  const settings = {
    repository: `${images.host}/kethub`,
    caFile: null,
    isPlain: true,
    pullSecret: CREDENTIAL,
    pushSecret: CREDENTIAL,
    buildNamespace: BUILDS,
    builderImage: BUILDER,
    baseRegistry: bases.host,
    hosts: [],
    seccompProfile: null,
  };
  return {
    images,
    bases,
    settings,
    async stop() {
      await images.stop();
      await bases.stop();
    },
  };
}

const CREDENTIAL = 'registry';

/** Writes the Secret with the credential of a registry, as an operator does. */
export async function keepCredential(cluster: Cluster, namespace: string, host: string, password: string): Promise<void> {
  const auth = Buffer.from(`${REGISTRY_USER.name}:${password}`).toString('base64');
  const secret = {
    metadata: { name: CREDENTIAL },
    type: 'kubernetes.io/dockerconfigjson',
    stringData: { '.dockerconfigjson': JSON.stringify({ auths: { [host]: { auth } } }) },
  };
  const path = `/api/v1/namespaces/${namespace}/secrets`;
  await cluster.ask('DELETE', `${path}/${CREDENTIAL}`);
  const { status, body } = await cluster.ask('POST', path, secret);
  if (status !== 201) throw new Error(JSON.stringify(body));
} // prettier-ignore

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
