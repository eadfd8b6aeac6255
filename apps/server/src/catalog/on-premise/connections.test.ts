import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfiguration } from '../../foundation/config/index.ts';
import { startProvider, startRawProvider, type Provider } from '../../testing/on-premise.ts';
import { createConnections, Refused, type Connections, type Resolve } from './connections.ts';
import type { Destination } from './target.ts';

const base = { KETHUB_ON_PREMISE_HTTP: 'on', KETHUB_ON_PREMISE_PORTS: '1024-65535' };

function connectionsWith(settings: Record<string, string>, resolve?: Resolve): Connections {
  return createConnections(readConfiguration({ ...base, ...settings }).onPremise, resolve);
}

function destination(url: string): Destination {
  const { protocol, hostname, port, host, origin } = new URL(url);
  const secure = protocol === 'https:';
  const path = { rootPath: '/', basePath: '' };
  return { secure, hostname, port: Number(port), host, origin, ...path, authorization: null, timeoutMs: 5_000 };
}

async function status(connections: Connections, url: string): Promise<number | undefined> {
  const request = connections.request(destination(url), { path: '/', headers: { host: new URL(url).host } });
  request.end();
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response.statusCode;
}

describe('a name', () => {
  let provider: Provider;
  beforeAll(async () => {
    provider = await startProvider();
  });
  afterAll(() => provider.close());
  const at = (name: string): string => provider.url.replace('127.0.0.1', name);

  test.each([
    ['loopback', ['127.0.0.1']],
    ['several, all not allowed', ['127.0.0.1', '10.0.0.1', '::1', 'fe80::1']],
    ['nothing', []],
    ['an IPv4-mapped loopback', ['::ffff:127.0.0.1']],
  ])('that resolves to %s is not connected to', async (_what, addresses) => {
    const before = provider.received.length;
    const connections = connectionsWith({}, () => Promise.resolve(addresses));
    await expect(status(connections, at('service.example.org'))).rejects.toBeInstanceOf(Refused);
    expect(provider.received.length).toBe(before);
    connections.close();
  });

  test('that also resolves to an allowed address is connected to there only', async () => {
    const connections = connectionsWith({ KETHUB_ON_PREMISE_NETWORKS: '127.0.0.1' }, () =>
      Promise.resolve(['127.0.0.2', '10.255.255.1', '127.0.0.1']),
    );
    expect(await status(connections, at('service.example.org'))).toBe(200);
    connections.close();
  });

  test('that resolves to something else the second time (DNS rebinding) is judged by what is connected to', async () => {
    let asked = 0;
    const other = await startRawProvider((socket) => socket.end());
    const resolve: Resolve = () => Promise.resolve([(asked += 1) === 1 ? '127.0.0.1' : '127.0.0.2']);
    const connections = connectionsWith({ KETHUB_ON_PREMISE_NETWORKS: '127.0.0.1' }, resolve);
    expect(await status(connections, at('service.example.org'))).toBe(200);
    expect(asked).toBe(1);
    await expect(status(connections, other.url.replace('127.0.0.1', 'other.example.org'))).rejects.toThrow(Refused);
    expect(other.connections()).toBe(0);
    connections.close();
    await other.close();
  });

  test('and an address that the settings do not allow any more is refused before anything happens', () => {
    const connections = connectionsWith({});
    for (const url of ['http://127.0.0.1:8080', 'http://10.0.0.1:8080', 'http://1.1.1.1:22']) {
      expect(() => connections.request(destination(url), {})).toThrow(Refused);
    }
    const tlsOnly = connectionsWith({ KETHUB_ON_PREMISE_HTTP: 'off' });
    expect(() => tlsOnly.request(destination('http://1.1.1.1:8080'), {})).toThrow(Refused);
  });
});

describe('TLS', () => {
  let folder: string;
  let provider: Provider;
  const file = (name: string): string => path.join(folder, name);
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-ca-'));
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Lab CA', '-days', '2');
    openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=service');
    execFileSync('sh', ['-c', 'printf "subjectAltName=DNS:service.example.org" > san'], { cwd: folder });
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'san', '-days', '2'];
    openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...by);
    const options = { key: readFileSync(file('server.key')), cert: readFileSync(file('server.pem')) };
    provider = await startProvider(undefined, https.createServer(options));
  });
  afterAll(async () => {
    await provider.close();
    await rm(folder, { recursive: true });
  });

  const connect = async (name: string, settings: Record<string, string>): Promise<number | undefined> => {
    const connections = connectionsWith({ ...settings, KETHUB_ON_PREMISE_NETWORKS: '127.0.0.1' }, () =>
      Promise.resolve(['127.0.0.1']),
    );
    try {
      return await status(connections, provider.url.replace('http:', 'https:').replace('127.0.0.1', name));
    } finally {
      connections.close();
    }
  };

  test('a certificate of an authority that the installation trusts is accepted for its name', async () => {
    expect(await connect('service.example.org', { KETHUB_ON_PREMISE_CA_FILE: file('ca.pem') })).toBe(200);
  });
  test('not for another name', async () => {
    await expect(connect('other.example.org', { KETHUB_ON_PREMISE_CA_FILE: file('ca.pem') })).rejects.toThrow(
      'altnames',
    );
  });
  test('and of an unknown authority it is not', async () => {
    await expect(connect('service.example.org', {})).rejects.toThrow(/certificate/);
  });
});

test.each([
  ['KETHUB_ON_PREMISE_NETWORKS', '10.0.0.0/33'],
  ['KETHUB_ON_PREMISE_NETWORKS', 'lab.example.org'],
  ['KETHUB_ON_PREMISE_NETWORKS', '10.0.0.0/8/8'],
  ['KETHUB_ON_PREMISE_NETWORKS', '10.0.0.0/'],
  ['KETHUB_ON_PREMISE_PORTS', '0'],
  ['KETHUB_ON_PREMISE_PORTS', '9000-8000'],
  ['KETHUB_ON_PREMISE_PORTS', '443x'],
  ['KETHUB_ON_PREMISE_CA_FILE', '/nowhere/ca.pem'],
  ['KETHUB_ON_PREMISE_CA_FILE', import.meta.filename],
])('%s=%s is refused at the start', (name, value) => {
  expect(() => readConfiguration({ [name]: value })).toThrow(name);
});
