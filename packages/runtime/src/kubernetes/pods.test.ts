import { mkdtempSync, rmSync, readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeCertificate, makeExpiredCertificate } from '../../../../script/kubernetes/certificates.ts';
import { until } from '../testing/bench.ts';
import { ClusterApi } from './api.ts';
import { LABELS } from './objects.ts';
import { Pods } from './pods.ts';

// A stand-in for an API server says what a real one says after hours only: that its history is gone.
const folder = mkdtempSync(join(os.tmpdir(), 'kethub-pods-'));
let server: https.Server;
let api: ClusterApi;
/** Answers to lists and to watches, in their order, and the versions that watches asked for. */
const lists: object[] = [];
const watches: ((answer: ServerResponse) => void)[] = [];
const asked: string[] = [];

beforeAll(async () => {
  const { certFile, keyFile } = makeCertificate(folder, '127.0.0.1');
  writeFileSync(join(folder, 'token'), 'a-token');
  server = https.createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, (request, answer) => {
    const query = new URL(request.url ?? '', 'https://x').searchParams;
    const isWatch = query.get('watch') === 'true';
    asked.push(isWatch ? `watch ${query.get('resourceVersion')}` : 'list');
    if (isWatch) watches.shift()?.(answer);
    else answer.end(JSON.stringify(lists.shift()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  api = new ClusterApi({
    server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    namespace: 'n',
    caFile: certFile,
    tokenFile: join(folder, 'token'),
    image: 'i',
    port: 1,
    url: 'http://x',
    tls: null,
    gpuResource: 'g',
    resources: {},
    nodeSelector: {},
  });
});
afterAll(() => {
  api.close();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const pod = (uid: string, resourceVersion: string): object => ({
  metadata: { name: uid, uid, resourceVersion, labels: { [LABELS.job]: 'job' } },
});
const listOf = (resourceVersion: string, ...items: object[]): object => ({ metadata: { resourceVersion }, items });
const event = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;

test('a watch whose history is gone begins anew with a list, and one that is cut off goes on where it was', async () => {
  lists.push(listOf('10', pod('a', '9')), listOf('20', pod('b', '19')), listOf('30', pod('b', '19')));
  watches.push(
    (answer) => answer.end(event('ERROR', { code: 410, message: 'too old resource version' })),
    (answer) => answer.writeHead(410).end(JSON.stringify({ reason: 'Expired', message: 'too old' })),
    (answer) => answer.write(event('MODIFIED', pod('b', '31')), () => answer.destroy()),
    (answer) => answer.write(event('BOOKMARK', { metadata: { resourceVersion: '40' } }), () => answer.end()),
    (answer) => answer.write(event('DELETED', pod('b', '41'))),
  );
  const seen: string[] = [];
  const pods = new Pods(api, 'installation', () => undefined);
  pods.follow('job', (one, uid) => seen.push(one === null ? `${uid} is gone` : uid));
  await until('the last event came', () => seen.at(-1) === 'b is gone');
  pods.close();
  expect(asked).toEqual(['list', 'watch 10', 'list', 'watch 20', 'list', 'watch 30', 'watch 31', 'watch 40']);
  expect(seen).toEqual(['a', 'b', 'a is gone', 'b', 'b', 'b', 'b is gone']);
});

test('a clock after which certificates have expired is named, and pods are followed again when it is right', async () => {
  const { certFile, keyFile } = makeExpiredCertificate(folder, '127.0.0.1');
  const valid = { cert: readFileSync(join(folder, 'own.crt')), key: readFileSync(join(folder, 'own.key')) };
  const caFile = join(folder, 'both.crt');
  writeFileSync(caFile, Buffer.concat([valid.cert, readFileSync(certFile)]));
  server.setSecureContext({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
  const own = new ClusterApi({ ...api.settings, caFile });
  const warnings: string[] = [];
  const pods = new Pods(own, 'installation', (line) => warnings.push(line));
  const seen: string[] = [];
  pods.follow('job', (_pod, uid) => seen.push(uid));
  await until('the reason is named', () => warnings.length > 0);
  expect(warnings[0]).toMatch(/pods cannot be followed at the moment, executions go on: .*certificate has expired/);
  lists.push(listOf('50', pod('c', '49')));
  watches.push(() => undefined);
  server.setSecureContext(valid);
  await until('the pod is seen', () => seen.includes('c'));
  await until('it is said', () => warnings.length > 1);
  expect(warnings).toEqual([expect.any(String), 'pods are followed again']);
  pods.close();
  own.close();
});

test.each([
  ['without a word', () => undefined],
  ['after an event', (answer: ServerResponse) => void answer.write(event('MODIFIED', pod('d', '61')))],
])('a watch that an API server leaves open %s is begun anew', async (_when, watch) => {
  const { timeout } = AbortSignal;
  const soon = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((ms) => timeout.call(AbortSignal, ms > 60_000 ? 200 : ms));
  lists.push(listOf('60', pod('d', '59')));
  let isAsked = false;
  watches.push(watch, () => (isAsked = true));
  const pods = new Pods(api, 'installation', () => undefined);
  pods.follow('job', () => undefined);
  await until('it watches again', () => isAsked);
  pods.close();
  soon.mockRestore();
});
