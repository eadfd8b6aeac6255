import { existsSync } from 'node:fs';
import type { KubernetesSettings } from '@kethub/runtime';
import { Type, type Static, type TObject } from 'typebox';
import { Refusal } from './refusal.ts';

type RegistrySettings = NonNullable<KubernetesSettings['registry']>;

const SECRET = '^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$';

/** The settings of services with a Dockerfile in a cluster of Kubernetes. */
export const RegistryFields = {
  KETHUB_KUBERNETES_REGISTRY: Type.Optional(
    Type.String({
      maxLength: 300,
      pattern: '^[a-z0-9][a-z0-9.-]*(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)+$',
      description:
        'Repository for the images of services with a Dockerfile, such as `registry.example.org/kethub`. They are then built and run in the cluster. Without it, they need a container engine beside the worker. See [Operations](operations.md).',
    }),
  ),
  KETHUB_KUBERNETES_REGISTRY_TLS: Type.Enum(['on', 'off'], {
    default: 'on',
    description: '`off` for a registry without TLS. The nodes must accept it, too.',
  }),
  KETHUB_KUBERNETES_REGISTRY_CA_FILE: Type.Optional(
    Type.String({
      pattern: '^/',
      description:
        'File with the certificates of the authority of the registry, for builds. Nodes need them as well: configure them there.',
    }),
  ),
  KETHUB_KUBERNETES_PULL_SECRET: Type.Optional(
    Type.String({
      pattern: SECRET,
      description:
        'Name of a Secret (`kubernetes.io/dockerconfigjson`) in the namespace of executions. Nodes pull images with it.',
    }),
  ),
  KETHUB_KUBERNETES_PUSH_SECRET: Type.Optional(
    Type.String({
      pattern: SECRET,
      description:
        'Name of a Secret (`kubernetes.io/dockerconfigjson`) in the namespace of builds. Builds push images with it.',
    }),
  ),
  KETHUB_KUBERNETES_BUILD_NAMESPACE: Type.String({
    default: 'kethub-builds',
    pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
    description: 'Namespace of builds. `deploy/kubernetes/builds.yaml` makes it, with the rights that are needed.',
  }),
  KETHUB_KUBERNETES_BUILDER_IMAGE: Type.Optional(
    Type.String({
      maxLength: 500,
      pattern: '^[A-Za-z0-9][A-Za-z0-9._:/@-]*$',
      description:
        'Image that runs builds: `kethub-builder` of `npm run image`. Needed with `KETHUB_KUBERNETES_REGISTRY`.',
    }),
  ),
  KETHUB_KUBERNETES_BASE_REGISTRY: Type.String({
    default: 'docker.io',
    maxLength: 300,
    pattern: '^[a-z0-9][a-z0-9.-]*(:[0-9]+)?(/[a-z0-9._-]+)*$',
    description:
      'Registry from which builds take images of docker.io that Dockerfiles name, such as a mirror. It must not ask for a credential.',
  }),
  KETHUB_KUBERNETES_BUILD_HOSTS: Type.String({
    default: '',
    maxLength: 2_000,
    description:
      'Further hosts that builds may connect to, as `host:port`, separated by blanks: other registries, indexes of packages.',
  }),
  KETHUB_KUBERNETES_BUILD_SECCOMP_PROFILE: Type.Optional(
    Type.String({
      maxLength: 300,
      pattern: '^[A-Za-z0-9._/-]+$',
      description:
        'Path of `deploy/seccomp-sandbox.json` below the folder of seccomp profiles of the nodes, for nodes that set a profile by themselves (`seccompDefault`).',
    }),
  ),
};

type Given = Static<TObject<typeof RegistryFields>>;

/** null without a registry. Throws Refusal for settings that cannot work. */
export function registryOf(given: Given): RegistrySettings | null {
  const repository = given.KETHUB_KUBERNETES_REGISTRY;
  if (repository === undefined) return null;
  const builderImage = given.KETHUB_KUBERNETES_BUILDER_IMAGE;
  if (builderImage === undefined)
    throw new Refusal(
      'KETHUB_KUBERNETES_REGISTRY needs KETHUB_KUBERNETES_BUILDER_IMAGE: push the image kethub-builder of `npm run image` to a registry and name it.',
    );
  const caFile = given.KETHUB_KUBERNETES_REGISTRY_CA_FILE ?? null;
  if (caFile !== null && !existsSync(caFile))
    throw new Refusal(`KETHUB_KUBERNETES_REGISTRY_CA_FILE: there is no file ${caFile}.`);
  return {
    repository,
    caFile,
    isPlain: given.KETHUB_KUBERNETES_REGISTRY_TLS === 'off',
    pullSecret: given.KETHUB_KUBERNETES_PULL_SECRET ?? null,
    pushSecret: given.KETHUB_KUBERNETES_PUSH_SECRET ?? null,
    buildNamespace: given.KETHUB_KUBERNETES_BUILD_NAMESPACE,
    builderImage,
    baseRegistry: given.KETHUB_KUBERNETES_BASE_REGISTRY,
    hosts: hostsOf(given.KETHUB_KUBERNETES_BUILD_HOSTS),
    seccompProfile: given.KETHUB_KUBERNETES_BUILD_SECCOMP_PROFILE ?? null,
  };
}

function hostsOf(text: string): string[] {
  const hosts = text.split(/\s+/).filter(Boolean);
  for (const host of hosts)
    if (!/^[A-Za-z0-9][A-Za-z0-9.-]*:[0-9]{1,5}$/.test(host))
      throw new Refusal(`KETHUB_KUBERNETES_BUILD_HOSTS: ${host} is not written as host:port.`);
  return hosts;
}
