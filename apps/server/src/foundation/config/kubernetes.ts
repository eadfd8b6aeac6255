import { existsSync, readFileSync } from 'node:fs';
import type { KubernetesSettings } from '@kethub/runtime';
import { Type, type Static, type TObject } from 'typebox';
import { Refusal } from './refusal.ts';
import { RegistryFields, registryOf } from './registry.ts';
import { transferTlsOf, type TransferTlsGiven } from './transfers.ts';

/** Folder in which a cluster shows a pod the way to its API. */
const OWN = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The settings of a cluster of Kubernetes. */
export const KubernetesFields = {
  KETHUB_KUBERNETES: Type.Enum(['off', 'on'], {
    default: 'off',
    description:
      '`on` runs executions as jobs of a Kubernetes cluster: those of Python services, and with `KETHUB_KUBERNETES_REGISTRY` those of services with a Dockerfile. See [Operations](operations.md).',
  }),
  KETHUB_KUBERNETES_SERVER: Type.Optional(
    Type.String({
      pattern: '^https://[^/]+/?$',
      description: 'Address of the API server. Default: that of the cluster in which this process runs.',
    }),
  ),
  KETHUB_KUBERNETES_NAMESPACE: Type.String({
    default: 'kethub-executions',
    pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
    description: 'Namespace of the jobs. `deploy/kubernetes/namespace.yaml` makes it, with the rights that are needed.',
  }),
  KETHUB_KUBERNETES_CA_FILE: Type.String({
    default: `${OWN}/ca.crt`,
    pattern: '^/',
    description: 'File with the certificates of the authority of the API server.',
  }),
  KETHUB_KUBERNETES_TOKEN_FILE: Type.String({
    default: `${OWN}/token`,
    pattern: '^/',
    description: 'File with the token of the service account. It is read for each request, because clusters renew it.',
  }),
  KETHUB_KUBERNETES_IMAGE: Type.String({
    default: 'python:{python}-slim',
    maxLength: 500,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._:/@{}-]*$',
    description:
      'Image in which Python services run. `{python}` stands for the version of Python. It needs Python and a shell, nothing of Kethub.',
  }),
  KETHUB_KUBERNETES_PORT: Type.Integer({
    default: 8090,
    minimum: 1,
    maximum: 65_535,
    description: 'Port of this worker. Pods fetch their input there, and send what their program has left.',
  }),
  KETHUB_KUBERNETES_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/]+/?$',
      description:
        'Address of `KETHUB_KUBERNETES_PORT` as pods see it, such as `http://kethub-worker-0.kethub:8090`. Needed with `KETHUB_KUBERNETES=on`. Default: none.',
    }),
  ),
  KETHUB_KUBERNETES_GPU_RESOURCE: Type.String({
    default: 'nvidia.com/gpu',
    maxLength: 300,
    pattern: '^[A-Za-z0-9][A-Za-z0-9./_-]*$',
    description: 'Name in the cluster of the GPUs that versions request (`KETHUB_WORKER_GPUS`).',
  }),
  KETHUB_KUBERNETES_RESOURCES: Type.String({
    default: '',
    maxLength: 1_000,
    description: 'Other resources that each program requests, separated by blanks: `example.com/licence=1`.',
  }),
  KETHUB_KUBERNETES_NODES: Type.String({
    default: '',
    maxLength: 1_000,
    description: 'Labels of the nodes on which programs may run, separated by blanks: `pool=science`.',
  }),
  KETHUB_KUBERNETES_WARM_PODS: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 500,
    description:
      'Pods of this worker that may wait for executions, of all versions whose owners ask for some (`warmPods`). Owners share them evenly. Each holds what its version may use, so this number times the largest version must fit into the cluster. 0: none wait.',
  }),
  ...RegistryFields,
};

type Given = Static<TObject<typeof KubernetesFields>> & TransferTlsGiven;

/** null when there is no cluster. Throws Refusal for settings that cannot work. */
export function kubernetesOf(given: Given): KubernetesSettings | null {
  if (given.KETHUB_KUBERNETES === 'off') return null;
  const url = given.KETHUB_KUBERNETES_URL;
  if (url === undefined)
    throw new Refusal('KETHUB_KUBERNETES=on needs KETHUB_KUBERNETES_URL: the address of this worker as pods see it.');
  for (const [name, file] of [
    ['KETHUB_KUBERNETES_CA_FILE', given.KETHUB_KUBERNETES_CA_FILE],
    ['KETHUB_KUBERNETES_TOKEN_FILE', given.KETHUB_KUBERNETES_TOKEN_FILE],
  ] as const)
    if (!isReadable(file)) throw new Refusal(`${name}: ${file} cannot be read. Outside of a cluster, name a file.`);
  return {
    server: given.KETHUB_KUBERNETES_SERVER ?? ownServer(),
    namespace: given.KETHUB_KUBERNETES_NAMESPACE,
    caFile: given.KETHUB_KUBERNETES_CA_FILE,
    tokenFile: given.KETHUB_KUBERNETES_TOKEN_FILE,
    image: given.KETHUB_KUBERNETES_IMAGE,
    port: given.KETHUB_KUBERNETES_PORT,
    url,
    tls: transferTlsOf(given, 'KETHUB_KUBERNETES_URL', url),
    gpuResource: given.KETHUB_KUBERNETES_GPU_RESOURCE,
    resources: pairsOf('KETHUB_KUBERNETES_RESOURCES', given.KETHUB_KUBERNETES_RESOURCES),
    nodeSelector: pairsOf('KETHUB_KUBERNETES_NODES', given.KETHUB_KUBERNETES_NODES),
    registry: registryOf(given),
  };
}

function isReadable(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    return readFileSync(file, 'utf8').trim() !== '';
  } catch {
    return false;
  }
}

function ownServer(): string {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  if (host === undefined || port === undefined)
    throw new Refusal('KETHUB_KUBERNETES_SERVER is needed: this process does not run in a cluster.');
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function pairsOf(setting: string, text: string): Record<string, string> {
  const pairs = text.split(/\s+/).filter(Boolean);
  return Object.fromEntries(
    pairs.map((pair): [string, string] => {
      const [, name, value] = /^([A-Za-z0-9][A-Za-z0-9./_-]*)=([A-Za-z0-9._-]*)$/.exec(pair) ?? [];
      if (name === undefined || value === undefined)
        throw new Refusal(`${setting}: ${pair} is not written as name=value.`);
      return [name, value];
    }),
  );
}
