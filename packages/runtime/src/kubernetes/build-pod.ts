import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ContainerImage, ImageSource } from '../types.ts';
import {
  exchanged,
  frameOf,
  KETHUB,
  PASS_TERM,
  SECURITY,
  transferOf,
  variables,
  waitForInput,
  waitForProgram,
  type Order,
} from './objects.ts';
import { CONTAINERS } from './pod.ts';
import type { RegistrySettings } from './settings.ts';

const PUSH = readFileSync(fileURLToPath(new URL('../../python/pod_push.py', import.meta.url)), 'utf8');
/** Container that brings the image to the registry. It alone has the credential. */
const PUSHER = 'push';
const RUNTIME_DEFAULT = { seccompProfile: { type: 'RuntimeDefault' } };
/** Buildah makes a user namespace, for which the programs newuidmap and newgidmap have setuid. */
const BUILDING = {
  allowPrivilegeEscalation: true,
  privileged: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'], add: ['SETUID', 'SETGID'] },
};
/** Thousandths of a processor that a build asks of a node. */
const REQUESTED_CPU = 500;
const SMALL = { requests: { memory: '128Mi', cpu: '10m' }, limits: { memory: '1Gi', cpu: '1' } };

/**
 * The pod of a build. The build ends before the container begins that has the credential of the registry. There,
 * leftovers of the commands of the Dockerfile are only read.
 */
export function buildPod(order: Order, registry: RegistrySettings, { image }: ContainerImage, build: ImageSource): object {
  const frame = frameOf(order) as { volumes: readonly object[]; securityContext: Record<string, unknown> };
  const { seccompProfile: _all, ...user } = frame.securityContext;
  const { builderImage, pushSecret, seccompProfile } = registry;
  const building =
    seccompProfile === null
      ? BUILDING
      : { ...BUILDING, seccompProfile: { type: 'Localhost', localhostProfile: seccompProfile } };
  const environment = { HOME: '/storage/home', ...registryVariables(registry) };
  return {
    ...frame,
    securityContext: user,
    ...(pushSecret !== null && { imagePullSecrets: [{ name: pushSecret }] }),
    volumes: [
      ...frame.volumes,
      { name: 'storage', emptyDir: { sizeLimit: String(build.diskBytes) } },
      // Programs read settings and certificates there, so commands of the Dockerfile must not have written to it.
      { name: 'push-tmp', emptyDir: { medium: 'Memory', sizeLimit: '256Mi' } },
      ...(pushSecret === null
        ? []
        : [{ name: 'push', secret: { secretName: pushSecret, items: [{ key: '.dockerconfigjson', path: 'config.json' }], defaultMode: 0o440 } }]),
    ],
    initContainers: [
      {
        ...transferOf(order, builderImage, { HANDOVER: 'text', WRITTEN: 'report/written' }),
        securityContext: { ...SECURITY, ...RUNTIME_DEFAULT },
      },
      {
        name: CONTAINERS.program,
        image: builderImage,
        command: ['/bin/sh', '-c', startOf(order, build.dockerfile)],
        env: variables(environment),
        resources: resourcesFor(order),
        securityContext: building,
        volumeMounts: [
          exchanged('context', '/context'),
          exchanged('result', `${KETHUB}/result`, true),
          { name: 'storage', mountPath: '/storage' },
          { name: 'tmp', mountPath: '/tmp' },
        ],
      },
    ],
    containers: [
      {
        name: PUSHER,
        image: builderImage,
        command: ['python3', '-I', '-S', '-u', '-c', PUSH],
        env: variables({ ...environment, HOME: '/tmp', IMAGE: image, IMAGE_BYTES: String(build.imageBytes) }),
        resources: SMALL,
        securityContext: { ...SECURITY, ...RUNTIME_DEFAULT },
        volumeMounts: [
          exchanged('report', `${KETHUB}/report`, true),
          { name: 'storage', mountPath: '/storage' },
          { name: 'push-tmp', mountPath: '/tmp' },
          ...(pushSecret === null ? [] : [{ name: 'push', mountPath: `${KETHUB}/push`, readOnly: true }]),
        ],
      },
    ],
  };
} // prettier-ignore

/** Resources of a build. Most of them wait for a registry most of the time, so a build asks for less than it may use. */
function resourcesFor({ limits: { memoryBytes, cpus } }: Order): object {
  const thousandths = Math.max(1, Math.round(cpus * 1_000));
  return {
    requests: { memory: String(memoryBytes), cpu: `${Math.min(thousandths, REQUESTED_CPU)}m` },
    limits: { memory: String(memoryBytes), cpu: `${thousandths}m` },
  };
}

/** Variables that name the registry to both containers. */
function registryVariables({ repository, baseRegistry, isPlain, caFile }: RegistrySettings): Record<string, string> {
  return {
    REGISTRY: repository.split('/')[0] ?? '',
    BASE_REGISTRY: baseRegistry,
    PLAIN: isPlain ? 'true' : 'false',
    ...(caFile !== null && { CERTIFICATES: readFileSync(caFile, 'utf8') }),
  };
}

/** Builds the image and leaves it as an OCI layout, without a daemon and as user 1000. */
function startOf(order: Order, dockerfile: string): string {
  if (!/^[A-Za-z]+$/.test(dockerfile)) throw new Error(`"${dockerfile}" cannot be a build file.`);
  return `${waitForInput(order.limits)}
${PASS_TERM}
/bin/sh -c '${BUILD}' sh ${dockerfile} &
${waitForProgram(order)}`;
}

const BUILD = `set -e
umask 022
mkdir -p /storage/home /storage/tmp /storage/certs
export TMPDIR=/storage/tmp BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs CONTAINERS_REGISTRIES_CONF=/storage/registries.conf
{
  echo "unqualified-search-registries = [\\"docker.io\\"]"
  printf "[[registry]]\\nprefix = \\"docker.io\\"\\nlocation = \\"%s\\"\\ninsecure = %s\\n" "$BASE_REGISTRY" "$PLAIN"
  if [ "$PLAIN" = true ]; then printf "[[registry]]\\nlocation = \\"%s\\"\\ninsecure = true\\n" "$REGISTRY"; fi
} >/storage/registries.conf
if [ -n "$CERTIFICATES" ]; then echo "$CERTIFICATES" >/storage/certs/ca.crt; fi
unset CERTIFICATES
cd /context
buildah --root /storage/root --runroot /storage/run build --signature-policy /etc/containers/policy.json \\
  --cert-dir /storage/certs --format docker --layers=false --pull --force-rm \\
  --ignorefile /dev/null --file "/context/$1" --tag built:1 /context
buildah --root /storage/root --runroot /storage/run push --signature-policy /etc/containers/policy.json --quiet \\
  --disable-compression built:1 oci:/storage/layout:built
exec rm -rf /storage/tmp /storage/home`;
