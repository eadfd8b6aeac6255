import { Type, type Static, type TObject } from 'typebox';
import type { AddressFields } from './addresses.ts';
import type { KeptFields } from './kept.ts';
import { Refusal } from './refusal.ts';

/** Roles of a process: it can have any combination of them. */
export const ROLES = ['api', 'gateway', 'worker', 'git'] as const;
export type Role = (typeof ROLES)[number];
export type Roles = Readonly<Record<Role, boolean>>;

/** The store of blobs: a folder, or a bucket of S3. */
export type BlobSettings =
  | { readonly kind: 'FOLDER'; readonly folder: string | null }
  | {
      readonly kind: 'S3';
      readonly bucket: string;
      /** Prefix of every key, with a slash at its end, or empty. */
      readonly prefix: string;
      /** null for Amazon's. */
      readonly endpoint: string | null;
      readonly region: string;
      /** null to use those of the environment, such as `AWS_ACCESS_KEY_ID` or the role of the machine. */
      readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
    };

/** The settings of an installation of several processes. */
export const ProcessFields = {
  KETHUB_ROLES: Type.Optional(
    Type.String({
      description:
        'Roles of this process: any of `api`, `gateway`, `worker` and `git`, separated by commas. See [Operations](operations.md). Default: all of them.',
    }),
  ),
  KETHUB_WORKER_PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 8082,
    description: 'Port of a process that is a worker and nothing else: it answers `/health` and `/ready` there.',
  }),
  KETHUB_DRAIN_SECONDS: Type.Integer({
    minimum: 0,
    maximum: 3_600,
    default: 0,
    description:
      'Seconds between SIGTERM and the moment when a process accepts no more connections. Meanwhile `/ready` is 503 and requests are answered. Set the time that a load balancer needs to notice that.',
  }),
  KETHUB_STOP_SECONDS: Type.Integer({
    minimum: 0,
    maximum: 3_600,
    default: 25,
    description:
      'Seconds for the requests that a stopping process has received, after it accepts no more connections. Then it closes their connections.',
  }),
  KETHUB_FINISH_SECONDS: Type.Integer({
    minimum: 0,
    maximum: 604_800,
    default: 0,
    description:
      'Seconds that a stopping worker gives to its running executions. It claims no more. Set it where the runner ends with the worker, as in a container. With 0 they go on, and the worker collects them after its next start.',
  }),
  KETHUB_WORKER_LEASE_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    default: 300,
    description:
      'Seconds without a sign of life after which a worker counts as lost, and its executions are UNKNOWN. It must be longer than a restart takes, and the same for every process.',
  }),
  KETHUB_BLOBS: Type.Optional(
    Type.String({
      description:
        'Store of files: a folder that all processes share (`/srv/kethub` or `file:///srv/kethub`), or a bucket (`s3://bucket/prefix`). Default: `<data folder>/blobs`.',
    }),
  ),
  KETHUB_S3_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'Address of the S3 with the bucket. Default: that of Amazon in the region.',
    }),
  ),
  KETHUB_S3_REGION: Type.Optional(Type.String({ description: 'Region of the bucket. Default: `us-east-1`.' })),
  KETHUB_S3_ACCESS_KEY_ID: Type.Optional(
    Type.String({
      description: 'Access key for the bucket. Default: `AWS_ACCESS_KEY_ID`, or the role of the machine.',
    }),
  ),
  KETHUB_S3_SECRET_ACCESS_KEY: Type.Optional(Type.String({ description: 'Secret of the access key. Default: none.' })),
};

/** The settings above, with those that all processes must have in common. */
type Given = Static<
  TObject<
    typeof ProcessFields &
      Pick<typeof AddressFields, 'KETHUB_PUBLIC_URL' | 'KETHUB_GATEWAY_URL'> &
      Pick<typeof KeptFields, 'DATABASE_URL'>
  >
>;

/** Throws Refusal for an unknown role, and for a process that could not work with the others. */
export function rolesOf(given: Given): Roles {
  const names = (given.KETHUB_ROLES ?? ROLES.join()).split(',').map((name) => name.trim().toLowerCase());
  const unknown = names.filter((name) => !ROLES.some((role) => role === name));
  if (unknown.length > 0)
    throw new Refusal(`KETHUB_ROLES: ${JSON.stringify(unknown[0])} is no role. Roles: ${ROLES.join(', ')}.`);
  const roles = {
    api: names.includes('api'),
    gateway: names.includes('gateway'),
    worker: names.includes('worker'),
    git: names.includes('git'),
  };
  if (roles.api && roles.gateway && roles.worker) return roles;
  const setting = `KETHUB_ROLES=${names.join()}`;
  if (given.DATABASE_URL === undefined)
    throw new Refusal(
      `${setting} needs a PostgreSQL that all processes share: DATABASE_URL. SQLite is for one process.`,
    );
  if (!roles.api && !roles.gateway && !roles.git) return roles;
  const addresses = { KETHUB_PUBLIC_URL: given.KETHUB_PUBLIC_URL, KETHUB_GATEWAY_URL: given.KETHUB_GATEWAY_URL };
  const missing = Object.entries(addresses).flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (missing.length > 0)
    throw new Refusal(`${setting} needs ${missing.join(' and ')}: the same public addresses for every process.`);
  return roles;
}

/** Throws Refusal for an unusable store, and for settings without effect. */
export function blobsOf(given: Given): BlobSettings {
  const store = given.KETHUB_BLOBS;
  if (!store?.startsWith('s3:')) {
    const idle = Object.entries(given).flatMap(([name, value]) =>
      name.startsWith('KETHUB_S3_') && value !== undefined ? [name] : [],
    );
    if (idle.length > 0)
      throw new Refusal(
        `${idle.join(', ')} has no effect without KETHUB_BLOBS=s3://<bucket>. Set it, or leave it out.`,
      );
    return { kind: 'FOLDER', folder: folderOf(store) };
  }
  const parts = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!'()*./-]*))?$/.exec(store);
  if (!parts?.[1])
    throw new Refusal(`KETHUB_BLOBS=${JSON.stringify(store)} is no bucket. Write s3://<bucket>/<prefix>.`);
  const prefix = (parts[2] ?? '').replaceAll(/^\/+|\/+$/g, '');
  const accessKeyId = given.KETHUB_S3_ACCESS_KEY_ID;
  const secretAccessKey = given.KETHUB_S3_SECRET_ACCESS_KEY;
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw new Refusal('KETHUB_S3_ACCESS_KEY_ID and KETHUB_S3_SECRET_ACCESS_KEY belong together. Set both, or neither.');
  return {
    kind: 'S3',
    bucket: parts[1],
    prefix: prefix && `${prefix}/`,
    endpoint: given.KETHUB_S3_ENDPOINT ?? null,
    region: given.KETHUB_S3_REGION ?? 'us-east-1',
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null,
  };
}

function folderOf(store: string | undefined): string | null {
  if (store === undefined) return null;
  const folder = store.replace(/^file:(?:\/\/)?/, '');
  if (folder.startsWith('/')) return store.startsWith('file:') ? decodeURIComponent(folder) : folder;
  throw new Refusal(
    `KETHUB_BLOBS=${JSON.stringify(store)} names no store of files. Write the whole path of a folder, or s3://<bucket>/<prefix>.`,
  );
}
