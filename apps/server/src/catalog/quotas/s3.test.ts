import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expireOnce } from '../../running/executions/expire.ts';
import { storeProblem, sweepOrphans } from '../../foundation/storage/index.ts';
import { poolUser, type PoolUser } from '../../testing/data-pools.ts';
import { sqlite } from '../../testing/databases.ts';
import { callerOf, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';
import { startS3, type TestS3 } from '../../testing/s3.ts';

// Deleted content leaves a bucket as it leaves a folder.

const LONG = 100_000;
const DAY_MS = 86_400_000;
const maker = {
  'src/__init__.py': '',
  'src/program.py': [
    'def run():',
    `    open("/var/runtime/output/a.bin", "wb").write(b"x" * ${LONG})`,
    `    for _ in range(100): print("x" * ${LONG / 100})`,
    `    return {"long": "x" * ${LONG}}`,
    '',
  ].join('\n'),
};
let s3: TestS3;
let way: FaultyWay;
let kethub: TestKethub;
let deployed: DeployedService;
let app: Caller;
let ada: PoolUser;

beforeAll(async () => {
  s3 = await startS3();
  way = await faultyWay(s3.settings['KETHUB_S3_ENDPOINT'] ?? '');
  kethub = await startTestKethub(sqlite, { ...s3.settings, KETHUB_S3_ENDPOINT: way.origin });
  ada = await poolUser(kethub, kethub.loginSession);
  deployed = await deploy(kethub.client, 'Maker', maker);
  app = await callerOf(deployed);
});
afterAll(async () => {
  await kethub.close();
  way.close();
  await s3.close();
});

/** An HTTP proxy before an S3 that refuses or loses what is sent to it. */
interface FaultyWay {
  readonly origin: string;
  /** READS: only whole objects are not given out; BROKEN_READS: nor more than the beginning of one. */
  fault: 'NONE' | 'AWAY' | 'CUT' | 'READS' | 'BROKEN_READS';
  /** Requests that met the fault. */
  met: number;
  close(): void;
}

async function faultyWay(target: string): Promise<FaultyWay> {
  const server = http.createServer((request, answer) => {
    request.on('error', () => undefined);
    const isRead = request.method === 'GET' && request.headers.range === undefined;
    const isMet = way.fault.endsWith('READS') ? isRead : way.fault !== 'NONE';
    if (isMet) way.met++;
    if (way.fault === 'AWAY' || (way.fault === 'READS' && isRead)) {
      request.resume().on('end', () => answer.writeHead(503).end());
      return;
    }
    if (way.fault === 'CUT') {
      // In the middle: after the first bytes of the body.
      request.once('data', () => request.destroy()).once('end', () => request.destroy());
      return;
    }
    const { method = 'GET', url: path = '/', headers } = request;
    const far = http.request(new URL(path, target), { method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 500, got.headers);
      if (way.fault === 'BROKEN_READS' && isRead)
        got.once('data', (part: Buffer) => answer.write(part.subarray(0, 10), () => answer.destroy()));
      else got.pipe(answer);
    });
    far.on('error', () => answer.destroy());
    request.pipe(far);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  const { port } = server.address() as AddressInfo;
  const way: FaultyWay = { origin: `http://127.0.0.1:${port}`, fault: 'NONE', met: 0, close };
  return way;
}

/** The objects of an execution: result, log and file. */
async function objectsOf(id: string): Promise<string[]> {
  const { read } = kethub.platform.database;
  const row = await read.selectFrom('executions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const files = await read.selectFrom('execution_files').select('blob').where('execution_id', '=', id).execute();
  const objects = [row.result_blob, row.log_blob, ...files.map(({ blob }) => blob)].filter((blob) => blob !== null);
  expect(objects).toHaveLength(3);
  return objects;
}

async function expectGone(objects: readonly string[]): Promise<void> {
  const { database, blobs } = kethub.platform;
  await sweepOrphans(database, blobs, Date.now());
  for (const one of objects) await expect(blobs.get(one)).rejects.toMatchObject({ code: 'ENOENT' });
}

test('the objects of an execution leave the bucket with its deletion', async () => {
  const { id } = await app.finish({});
  const objects = await objectsOf(id);
  for (const one of objects) {
    const { bytes, stream } = await kethub.platform.blobs.get(one);
    stream.destroy();
    expect(bytes).toBeGreaterThanOrEqual(LONG);
  }
  expect((await ada.call('DELETE', `/service-executions/${id}`)).status).toBe(204);
  await expectGone(objects);
});

test('and with the end of their time', async () => {
  const { id } = await app.finish({});
  const objects = await objectsOf(id);
  await kethub.platform.database.write((transaction) =>
    transaction
      .updateTable('executions')
      .set({ ended_at: Date.now() - 91 * DAY_MS })
      .where('id', '=', id)
      .execute(),
  );
  expect(await expireOnce(kethub.platform)).toBe(1);
  await expectGone(objects);
  expect((await app.request('GET', `/${id}/result`)).status).toBe(410);
});

test('files of a data pool leave it with the pool, and what replaced them before', async () => {
  const { client, platform } = kethub;
  const { id } = await client.createDataPool({ json: { name: 'Measured' } });
  const blobOf = async (): Promise<string> =>
    (await platform.database.read.selectFrom('data_pool_files').select('blob').executeTakeFirstOrThrow()).blob;
  await client.uploadDataPoolFile({ dataPoolId: id, name: 'a.csv', body: new Blob(['1']) });
  const first = await blobOf();
  await client.uploadDataPoolFile({ dataPoolId: id, name: 'a.csv', body: new Blob(['2']) });
  const second = await blobOf();
  expect(second).not.toBe(first);
  await client.deleteDataPool({ dataPoolId: id });
  await expectGone([first, second]);
});

test.each([
  ['answers 503', 'AWAY'],
  ['loses a connection in the middle', 'CUT'],
] as const)('an S3 that %s when an execution ends delays its end, and loses nothing', async (_what, fault) => {
  way.met = 0;
  way.fault = fault;
  const { id } = await app.start({});
  while (way.met < 3) await pause(50);
  expect((await app.request('GET', `/${id}`)).body).toMatchObject({ status: 'RUNNING' });
  if (fault === 'AWAY') {
    // The uploader reads why it failed, and so does the operator.
    const { id: dataPoolId } = await kethub.client.createDataPool({ json: { name: 'Away' } });
    const upload = () => kethub.client.uploadDataPoolFile({ dataPoolId, name: 'a.csv', body: new Blob(['1']) });
    const told = 'The store of files does not answer. Nothing was changed. Try again later.';
    await expect(upload()).rejects.toMatchObject({ status: 503, code: 'not-ready', detail: told });
    way.fault = 'NONE';
    await upload();
    const log = await readFile(process.env['LOG_CHECK_FILE'] ?? '', 'utf8');
    expect(log).toContain('The S3 does not answer as it should (503). What needs it is tried again.');
  }
  way.fault = 'NONE';
  const { body } = await app.request('GET', `/${id}`, { headers: { prefer: 'wait=60' } });
  expect(body).toMatchObject({ status: 'SUCCEEDED' });
  expect((await app.request('GET', `/${id}/result/a.bin`)).text).toHaveLength(LONG);
  expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({ long: 'x'.repeat(LONG) });
});

test.each(['READS', 'BROKEN_READS'] as const)(
  'an S3 that gives nothing out (%s) delays builds and starts of executions, and fails none',
  async (fault) => {
    const program = `from kethub.datapool import DataPool\n\n\ndef run(pool: DataPool):\n    return "${fault}", pool.open("a.csv").read()\n`;
    /** Waits for the requests of one attempt, with the repetitions of the client, and for those of a second one. */
    const twice = async (): Promise<void> => {
      way.met = 0;
      way.fault = fault;
      while (way.met < (fault === 'READS' ? 4 : 2)) await pause(20);
    };
    way.fault = fault;
    const deploying = deploy(kethub.client, `Reader ${fault}`, { 'src/__init__.py': '', 'src/program.py': program });
    await twice();
    way.fault = 'NONE';
    const reader = await callerOf(await deploying);
    const pool = await ada.create(fault);
    await ada.upload(pool, 'a.csv', 'measured'.repeat(10));
    way.fault = fault;
    const { id } = await reader.start({ pool: { id: pool.id, ref: 'DATAPOOL' } });
    await twice();
    expect((await reader.request('GET', `/${id}`)).body).toMatchObject({ status: 'RUNNING' });
    const told = 'The store of files does not answer. The program starts when it does.';
    const log = async (): Promise<unknown> => (await reader.request('GET', `/${id}/log`)).body;
    expect(await log()).toMatchObject([{ severity: 'NOTICE', message: told }]);
    const waiting = await log();
    way.fault = 'NONE';
    const { body } = await reader.request('GET', `/${id}`, { headers: { prefer: 'wait=60' } });
    expect(body).toMatchObject({ status: 'SUCCEEDED' });
    expect(await log()).toEqual(waiting);
  },
);

test('an S3 that is away is named where an operator looks, until it is back', async () => {
  const { platform } = kethub;
  expect(await storeProblem(platform)).toBeNull();
  way.fault = 'AWAY';
  expect(await storeProblem(platform)).toBe('The S3 does not answer as it should (503). What needs it is tried again.');
  way.fault = 'NONE';
  expect(await storeProblem(platform)).toBeNull();
});

test('while an S3 is away, readers are told so, and a deletion succeeds whose objects go later', async () => {
  const { id } = await app.finish({});
  const objects = await objectsOf(id);
  way.fault = 'AWAY';
  for (const path of [`/${id}/result`, `/${id}/result/a.bin`, `/${id}/log`]) {
    const told = { status: 503, detail: 'The store of files does not answer. Try again later.' };
    expect((await app.request('GET', path)).body).toMatchObject(told);
  }
  expect((await ada.call('DELETE', `/service-executions/${id}`)).status).toBe(204);
  const { database, blobs } = kethub.platform;
  await expect(sweepOrphans(database, blobs, Date.now())).rejects.toThrow('The S3 does not answer as it should (503)');
  way.fault = 'NONE';
  for (const one of objects) (await blobs.get(one)).stream.destroy();
  await expectGone(objects);
});
