import { expect, test } from 'vitest';
import { readConfiguration, Refusal } from './index.ts';

const DATABASE_URL = 'postgres://localhost/kethub';
const addresses = {
  KETHUB_PUBLIC_URL: 'https://kethub.example.org',
  KETHUB_GATEWAY_URL: 'https://gateway.example.org',
};

test('one process plays every role, and keeps its files in the data folder', () => {
  expect(readConfiguration({})).toMatchObject({
    roles: { api: true, gateway: true, worker: true, git: true },
    blobs: { kind: 'FOLDER', folder: null },
  });
});

test.each([
  [{ KETHUB_ROLES: 'gateway, API,worker' }, { api: true, gateway: true, worker: true }],
  [
    { KETHUB_ROLES: 'worker', DATABASE_URL },
    { api: false, gateway: false, worker: true },
  ],
  [
    { KETHUB_ROLES: 'api,gateway', DATABASE_URL, ...addresses },
    { api: true, gateway: true, worker: false },
  ],
])('%j', (settings, roles) => expect(readConfiguration(settings)).toMatchObject({ roles }));

test.each([
  [{ KETHUB_ROLES: 'api,database' }, /"database" is no role. Roles: api, gateway, worker, git/],
  [{ KETHUB_ROLES: ',' }, /"" is no role/],
  [{ KETHUB_ROLES: 'worker' }, /KETHUB_ROLES=worker needs a PostgreSQL that all processes share: DATABASE_URL/],
  [{ KETHUB_ROLES: 'api', DATABASE_URL }, /needs KETHUB_PUBLIC_URL and KETHUB_GATEWAY_URL/],
  [
    { KETHUB_ROLES: 'gateway', DATABASE_URL, KETHUB_GATEWAY_URL: addresses.KETHUB_GATEWAY_URL },
    /needs KETHUB_PUBLIC_URL:/,
  ],
  [{ KETHUB_BLOBS: 'relative/folder' }, /names no store of files/],
  [{ KETHUB_BLOBS: 's3://A' }, /no bucket/],
  [{ KETHUB_BLOBS: '/srv/files', KETHUB_S3_REGION: 'eu-central-1' }, /KETHUB_S3_REGION has no effect/],
  [{ KETHUB_BLOBS: 's3://bucket', KETHUB_S3_ACCESS_KEY_ID: 'key' }, /belong together/],
])('%j stops the start', (settings, reason) => {
  expect(() => readConfiguration(settings)).toThrow(Refusal);
  expect(() => readConfiguration(settings)).toThrow(reason);
});

test('a bucket is taken apart', () => {
  const bucket = { kind: 'S3', bucket: 'my-bucket', endpoint: null, region: 'us-east-1', credentials: null };
  expect(readConfiguration({ KETHUB_BLOBS: 's3://my-bucket' }).blobs).toEqual({ ...bucket, prefix: '' });
  const whole = {
    KETHUB_BLOBS: 's3://my-bucket/a/b/',
    KETHUB_S3_ENDPOINT: 'https://s3.example.org',
    KETHUB_S3_REGION: 'eu-central-1',
    KETHUB_S3_ACCESS_KEY_ID: 'key',
    KETHUB_S3_SECRET_ACCESS_KEY: 'hush',
  };
  expect(readConfiguration(whole).blobs).toEqual({
    kind: 'S3',
    bucket: 'my-bucket',
    prefix: 'a/b/',
    endpoint: 'https://s3.example.org',
    region: 'eu-central-1',
    credentials: {
      accessKeyId: 'key',
      secretAccessKey: 'hush',
    },
  });
});
