import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfiguration } from './index.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-config-'));
const file = path.join(folder, 'file');
writeFileSync(file, 'content');
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const slurm = { KETHUB_SLURM: 'on', KETHUB_SLURM_USER: '1000' };
const kubernetes = {
  KETHUB_KUBERNETES: 'on',
  KETHUB_KUBERNETES_SERVER: 'https://cluster:6443',
  KETHUB_KUBERNETES_CA_FILE: file,
  KETHUB_KUBERNETES_TOKEN_FILE: file,
  KETHUB_KUBERNETES_URL: 'https://worker:8090',
};
const tls = { KETHUB_TRANSFER_CERT_FILE: file, KETHUB_TRANSFER_KEY_FILE: file };
const overRest = { KETHUB_SLURM_REST_URL: 'http://slurm:6820', KETHUB_SLURM_REST_TOKEN_FILE: file };
const registry = {
  KETHUB_KUBERNETES_REGISTRY: 'registry:5000/kethub',
  KETHUB_KUBERNETES_BUILDER_IMAGE: 'registry:5000/builder:1',
  KETHUB_KUBERNETES_BUILD_HOSTS: ' pypi.org:443 ',
};

test('the settings of a cluster are read', () => {
  const staged = readConfiguration({ ...slurm, ...tls, ...overRest, KETHUB_SLURM_URL: 'https://worker:8091' }).slurm;
  expect(staged).toMatchObject({
    staging: { url: 'https://worker:8091', port: 8091, tls: { certFile: file, keyFile: file, caFile: null } },
    rest: { url: 'http://slurm:6820', tokenFile: file, version: 'v0.0.38', caFile: null },
  });
  expect(readConfiguration(slurm).slurm).toMatchObject({ staging: null, rest: null });
  const pods = readConfiguration({ ...kubernetes, ...tls, KETHUB_TRANSFER_CA_FILE: file }).kubernetes;
  expect(pods).toMatchObject({ tls: { caFile: file }, gpuResource: 'nvidia.com/gpu', registry: null });
  expect(readConfiguration({ ...kubernetes, ...registry }).kubernetes?.registry).toMatchObject({
    repository: 'registry:5000/kethub',
    isPlain: false,
    pushSecret: null,
    buildNamespace: 'kethub-builds',
    hosts: ['pypi.org:443'],
  });
});

/** Writes a file with options of single services, and returns its settings. */
function services(text: string): Record<string, string> {
  const path = `${file}-${createHash('sha256').update(text).digest('hex')}`;
  writeFileSync(path, text);
  return { ...slurm, KETHUB_SLURM_SERVICES_FILE: path };
}
const ID = '0198c1f0-0000-7000-8000-000000000001';

test('options of single services are read from a file', () => {
  const text = `# the department of chemistry\n\n${ID}  --partition=gpu --qos=high\r\n`;
  expect(readConfiguration(services(text)).slurm?.serviceOptions).toEqual({ [ID]: ['--partition=gpu', '--qos=high'] });
  expect(readConfiguration(slurm).slurm?.serviceOptions).toEqual({});
});

test.each([
  [
    'a registry without the image that builds',
    { ...kubernetes, KETHUB_KUBERNETES_REGISTRY: 'registry/kethub' },
    /needs KETHUB_KUBERNETES_BUILDER_IMAGE/,
  ],
  [
    'a registry without a repository',
    { ...kubernetes, ...registry, KETHUB_KUBERNETES_REGISTRY: 'registry' },
    /KETHUB_KUBERNETES_REGISTRY/,
  ],
  [
    'a registry with a tag',
    { ...kubernetes, ...registry, KETHUB_KUBERNETES_REGISTRY: 'registry/kethub:1' },
    /KETHUB_KUBERNETES_REGISTRY/,
  ],
  [
    'a host of builds without a port',
    { ...kubernetes, ...registry, KETHUB_KUBERNETES_BUILD_HOSTS: 'pypi.org' },
    /BUILD_HOSTS: pypi.org is not written as host:port/,
  ],
  [
    'certificates of a registry that are not there',
    { ...kubernetes, ...registry, KETHUB_KUBERNETES_REGISTRY_CA_FILE: '/nowhere' },
    /there is no file \/nowhere/,
  ],
  ['a service that is no id', services('chemistry --qos=high'), /line 1: "chemistry" is not the id of a service/],
  ['a service that stands twice', services(`${ID} --qos=a\n${ID} --qos=b`), /line 2: .* has a line already/],
  ['an option of a service that the worker sets', services(`${ID} --uid=0`), /line 1: the worker sets --uid itself/],
  ['an option of a service without its name', services(`${ID} -p gpu`), /line 1: -p is not written as/],
  [
    'an option of a service that the REST interface has not',
    { ...services(`${ID} --mail-user=x`), ...overRest },
    /line 1: --mail-user=x is not known/,
  ],
  ['options of services in no file', { ...slurm, KETHUB_SLURM_SERVICES_FILE: folder }, /cannot be read/],
  ['a certificate without its key', { ...kubernetes, KETHUB_TRANSFER_CERT_FILE: file }, /belong together/],
  ['an authority without a certificate', { ...kubernetes, KETHUB_TRANSFER_CA_FILE: file }, /belong together/],
  [
    'a certificate for an address of http',
    { ...kubernetes, ...tls, KETHUB_KUBERNETES_URL: 'http://worker:8090' },
    /KETHUB_KUBERNETES_URL has to begin with https/,
  ],
  [
    'a certificate that is no file',
    { ...kubernetes, ...tls, KETHUB_TRANSFER_CERT_FILE: '/no/file' },
    /no file \/no\/file/,
  ],
  ['a REST interface without a token', { ...slurm, KETHUB_SLURM_REST_URL: 'http://slurm:6820' }, /a file with a token/],
  [
    'an option that the REST interface has not',
    { ...slurm, ...overRest, KETHUB_SLURM_OPTIONS: '--partition=long --mail-user=x' },
    /--mail-user=x is not known/,
  ],
  [
    'a time that the REST interface does not take',
    { ...slurm, ...overRest, KETHUB_SLURM_OPTIONS: '--time=1:00:00' },
    /--time=1:00:00 is not known/,
  ],
])('%s is refused with its name', (_what, settings, words) => {
  expect(() => readConfiguration(settings)).toThrow(words);
});
