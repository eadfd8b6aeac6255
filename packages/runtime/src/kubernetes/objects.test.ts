import { expect, test } from 'vitest';
import { LIMITS } from '../testing/bench.ts';
import { buildPod } from './build-pod.ts';
import { imagePod } from './image-pod.ts';
import { idLabel, jobName, jobOf, policyOf, pythonPod, secretOf, type Order } from './objects.ts';
import type { RegistrySettings } from './settings.ts';

const order = {
  settings: { image: 'python:{python}', url: 'http://worker:8090', resources: {}, nodeSelector: {}, gpuResource: 'g' },
  job: 'kethub-1',
  installation: 'i',
  attempt: 'a',
  executionId: 'e',
  environment: { NAME: '$(HOME) $$' },
  dataPools: [],
  limits: LIMITS,
  gpus: 2,
  certificates: null,
  ours: { host: 'worker', addresses: ['10.0.0.1'], port: 8090 },
  hosts: [
    { host: 'a.example', addresses: ['93.184.216.34', '2001:db8::1'], port: 443 },
    { host: 'gone.example', addresses: [], port: 443 },
  ],
} as unknown as Order;
const registry = { builderImage: 'b', repository: 'r/k', caFile: null, pullSecret: null, pushSecret: null, seccompProfile: null, baseRegistry: 'd', isPlain: false } as unknown as RegistrySettings; // prettier-ignore
const image = { image: 'r/k@sha256:1' };
const build = { folder: '/f', dockerfile: 'Dockerfile', imageBytes: 1, diskBytes: 1 };

interface Container {
  readonly name: string;
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts: readonly { readonly name: string }[];
  readonly securityContext: object;
  readonly resources: { readonly limits: object };
}
interface PodSpec {
  readonly initContainers: readonly Container[];
  readonly containers: readonly Container[];
  readonly activeDeadlineSeconds: number;
}
const python = (more: Partial<Order> = {}): PodSpec =>
  pythonPod({ ...order, ...more }, { python: '3.12', hasLayer: true }) as PodSpec;
const PODS: readonly [string, PodSpec][] = [
  ['a Python service', python()],
  ['a pod that waits', python({ warmFor: 'v' })],
  ['a Docker service', imagePod(order, registry, image) as PodSpec],
  ['a build', buildPod(order, registry, image, build) as PodSpec],
];

test.each(PODS)('%s has no right that it does not need', (what, pod) => {
  expect(pod).toMatchObject({
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { runAsUser: 1000, runAsGroup: 1000, runAsNonRoot: true, fsGroup: 1000 },
  });
  for (const { name, securityContext, resources, volumeMounts } of [...pod.initContainers, ...pod.containers]) {
    expect(resources.limits).toMatchObject({ memory: expect.any(String), cpu: expect.any(String) });
    // Only the container of ours sees the token, and what is handed over.
    expect(volumeMounts.some((mount) => mount.name === 'secret')).toBe(name === 'transfer');
    // A build maps users, which its container needs two capabilities for.
    if (what === 'a build' && name === 'program') continue;
    expect(securityContext).toMatchObject({
      privileged: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: !(what === 'a Docker service' && name === 'program'),
      capabilities: { drop: ['ALL'] },
    });
  }
  if (what !== 'a build')
    expect(pod).toMatchObject({ securityContext: { seccompProfile: { type: 'RuntimeDefault' } } });
});

test('a program has the GPUs, the time and the values of its execution, also where the cluster would read them', () => {
  const [program] = python().containers;
  expect(program?.resources).toMatchObject({
    requests: { g: '2' },
    limits: { g: '2', memory: String(LIMITS.memoryBytes) },
  });
  expect(program?.env).toContainEqual({ name: 'NAME', value: '$$(HOME) $$$$' });
  const seconds = LIMITS.runTimeMs / 1_000 + 1_800;
  expect(python().activeDeadlineSeconds).toBe(seconds);
  // A pod that waits may have waited for 15 minutes when its execution comes.
  expect(python({ warmFor: 'v' }).activeDeadlineSeconds).toBe(seconds + 900);
});

test('a job runs once, and its secret goes with it', () => {
  expect(jobOf(order, {})).toMatchObject({
    spec: { suspend: true, backoffLimit: 0, completions: 1, podReplacementPolicy: 'Failed' },
  });
  const owner = { metadata: { name: 'kethub-1', uid: 'u' } };
  expect(secretOf(order, owner, 't', 'h')).toMatchObject({
    immutable: true,
    metadata: { ownerReferences: [{ kind: 'Job', uid: 'u' }] },
  });
});

test('a pod reaches us and the hosts of its version, and nobody reaches it', () => {
  const { spec } = policyOf(order, { metadata: { name: 'kethub-1', uid: 'u' } }) as { spec: { egress: object[] } };
  expect(spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'], ingress: [] });
  expect(spec.egress).toHaveLength(2);
  expect(spec.egress[1]).toEqual({
    to: [{ ipBlock: { cidr: '93.184.216.34/32' } }, { ipBlock: { cidr: '2001:db8::1/128' } }],
    ports: [{ protocol: 'TCP', port: 443 }],
  });
});

test('every id has a name in the cluster, and a label only where it can be one', () => {
  const ids = [
    '0198c1f0-7a10-7000-8000-000000000001',
    'UPPER',
    '-',
    'ends-',
    'a b',
    'ü',
    '',
    'x'.repeat(60_000),
    'x'.repeat(59_999),
  ];
  const names = ids.map((id) => jobName('one', id));
  // A pod is named after its job, with a hyphen and five characters more.
  for (const name of names) expect(name).toMatch(/^[a-z]([-a-z0-9]{0,55}[a-z0-9])?$/);
  expect(new Set(names).size).toBe(ids.length);
  expect(jobName('other', ids[0] ?? '')).not.toBe(names[0]);
  expect(ids.filter((id) => Object.keys(idLabel('l', id)).length > 0)).toEqual(ids.slice(0, 2));
});
