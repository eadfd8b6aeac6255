import { serviceForm } from '@kethub/client';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { ServiceExecution } from '@kethub/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { postgreSql } from '@kethub/server/testing/databases';
import { callerOf, type Caller } from '@kethub/server/testing/gateway';
import { build, deploy, type Files, type SignedIn, type Upload } from '@kethub/server/testing/kethub';
import { startSecondWorker, type SecondWorker } from '@kethub/server/testing/second-worker';
import { startSplitKethub, type SplitKethub } from '@kethub/server/testing/split-kethub';
import { zip } from '@kethub/server/testing/zip';
import { testEngine } from '@kethub/runtime/testing/images';

const patient = { timeout: 240_000, interval: 200 };
const long = { timeout: 300_000 };
const CONNECTIONS_PER_ADDRESS = 120;
const PENDING = 40;
/** The limits without any setting. */
const [OWNER_BUILDS, READERS_PER_CALLER, SLOTS_PER_WORKER] = [20, 100, 8];

const python = {
  'src/__init__.py': '',
  'src/program.py': `
import os, time


def tell(text):
    while text:
        text = text[os.write(1000, text):]
    os._exit(0)


def run(task="none"):
    if task == "deep":
        tell(b'E{"type":"x","title":"t","detail":"d","deep":' + b"[" * 5_000 + b"]" * 5_000 + b"}")
    if task == "wide":
        tell(b'R{"a":[' + b"{}," * (4 * 2**20 // 3) + b"{}]}")
    if task == "log":
        for line in range(20_000):
            print(line, "x" * 400)
    if task in ("log", "hold"):
        print("holds", flush=True)
        time.sleep(3_000)
    return {"task": task}
`,
};
const shell = {
  Dockerfile: [
    'FROM scratch',
    'COPY busybox run.sh /bin/',
    'RUN ["/bin/busybox", "--install", "-s", "/bin"]',
    'ENTRYPOINT ["run.sh"]',
  ].join('\n'),
  busybox: readFileSync('/bin/busybox'),
  'run.sh': `#!/bin/sh
cd /var/runtime/output
case "$(cat /var/runtime/input/task.json)" in
  '"deep"') { head -c 5000 /dev/zero | tr "\\0" "["; head -c 5000 /dev/zero | tr "\\0" "]"; } > output.json; exit ;;
  '"wide"') { printf '{"a":['; yes "{}," | tr -d "\\n" | head -c 4194300; printf "{}]}"; } > output.json; exit ;;
  '"hold"') sleep 3000 ;;
esac
echo '{"task": "none"}' > output.json
`,
};
const container = { configuration: { runtime: 'DOCKER' as const, memoryGb: 0.125 }, programs: ['busybox', 'run.sh'] };
const drivers: readonly { driver: string; files: Files; upload: Upload }[] = [
  { driver: 'sandbox', files: python, upload: {} },
  ...(testEngine === null ? [] : [{ driver: 'container', files: shell, upload: container }]),
];

/**
 * One tenant floods a platform of several processes, two of them workers. The calls of another tenant succeed
 * meanwhile.
 */
describe.each(postgreSql)('floods on $name with two workers', (kind) => {
  let kethub: SplitKethub;
  let second: SecondWorker;
  let mallory: SignedIn;
  /** The address of Mallory's service in a sandbox. */
  let flooded = '';
  const callers = new Map<string, { ada: Caller; mallory: Caller }>();
  const open: Socket[] = [];

  beforeAll(async () => {
    kethub = await startSplitKethub(kind, {
      KETHUB_CONNECTIONS_PER_ADDRESS: String(CONNECTIONS_PER_ADDRESS),
      KETHUB_OWNER_PENDING_EXECUTIONS: String(PENDING),
      KETHUB_CONTAINER_ENGINE: testEngine ?? 'off',
    });
    second = await startSecondWorker(kethub);
    mallory = await kethub.signIn('mallory');
    for (const { driver, files, upload } of drivers) {
      const day = { ...upload, configuration: { ...upload.configuration, runTimeSeconds: 86_400 } };
      const flood = await deploy(mallory.client, `Flood ${driver}`, files, day);
      if (driver === 'sandbox') flooded = flood.endpoint;
      callers.set(driver, {
        ada: await callerOf(await deploy(kethub.client, `Ordinary ${driver}`, files, upload), kethub),
        mallory: await callerOf(flood),
      });
    }
  }, 300_000);
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy();
  });
  afterAll(async () => {
    await second.close();
    await kethub.close();
  });

  const of = (driver: string) => {
    const both = callers.get(driver);
    if (!both) throw new Error(`No services on ${driver}`);
    return both;
  };
  const succeeds = async (app: Caller, times = 1): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      const { id } = await app.start({ task: 'none' });
      await expect.poll(() => executionOf(app, id), patient).toMatchObject({ status: 'SUCCEEDED' });
    }
  };
  const executionOf = async (app: Caller, id: string): Promise<ServiceExecution> =>
    (await app.request('GET', `/${id}`, { headers: { prefer: 'wait=20' } })).body as ServiceExecution;
  const endOf = async (app: Caller, id: string): Promise<string> => {
    for (;;) {
      const { status } = await executionOf(app, id);
      if (!['PENDING', 'RUNNING'].includes(status)) return status;
    }
  };
  /** Everybody's calls succeed, and no runner keeps anything. */
  const isNormal = async (driver: string): Promise<void> => {
    const { ada, mallory: app } = of(driver);
    await Promise.all([succeeds(ada), succeeds(app)]);
    await expect.poll(() => kethub.keptByRunner() + second.keptByRunner(), patient).toBe(0);
  };
  const portOf = (part: 'api' | 'gateway'): number => Number(new URL(kethub.platform.addresses[part]).port);

  /** A connection from another address of this machine, and the status of its answer; 0 before that. */
  const connection = (port: number, localAddress: string, text: string, reads: boolean) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
    open.push(socket);
    const one = { socket, status: 0 };
    socket.once('data', (chunk: Buffer) => {
      one.status = Number(chunk.toString('latin1').split(' ')[1]);
      if (!reads) socket.pause();
    });
    socket.write(text);
    return one;
  };

  test('uploads that sleep while they are imported', long, async () => {
    const sources = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        zip({
          'src/__init__.py': '',
          'src/program.py': `import time\ntime.sleep(3_000 + ${index})\ndef run(): return 1`,
        }),
      ),
    );
    const uploads = await Promise.allSettled(
      sources.map((source, index) =>
        mallory.client.createService({ body: serviceForm({ name: `Sleeps ${index}`, source }) }),
      ),
    );
    const accepted = uploads.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const refused = uploads.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    // Running builds end at their limit of a minute. On a slow machine some more are accepted.
    expect(accepted.length).toBeGreaterThanOrEqual(OWNER_BUILDS);
    expect(refused).not.toEqual([]);
    for (const reason of refused) expect(reason).toMatchObject({ status: 429, code: 'too-many-builds' });
    const { build: other } = await build(kethub.client, 'Beside sleeping ones', python);
    expect(other).toMatchObject({ status: 'SUCCEEDED' });
    await succeeds(of('sandbox').ada);
    const builds = await Promise.all(
      accepted.map(({ id }) => mallory.client.getBuild({ serviceId: id, version: '1.0.0' })),
    );
    expect(builds.filter(({ status }) => ['PENDING', 'RUNNING'].includes(status))).not.toEqual([]);
    for (const { id } of accepted) await mallory.client.deleteService({ serviceId: id, force: true });
    const { build: next } = await build(mallory.client, 'After the flood', python);
    expect(next).toMatchObject({ status: 'SUCCEEDED' });
    await isNormal('sandbox');
  });

  describe.each(drivers)('$driver', ({ driver }) => {
    test('ends that are deep or costly', long, async () => {
      const { ada, mallory: app } = of(driver);
      const tasks = Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? 'deep' : 'wide'));
      const flood = await Promise.all(tasks.map(async (task) => ({ task, id: (await app.start({ task })).id })));
      await succeeds(ada, 3);
      for (const { task, id } of flood) {
        expect(await endOf(app, id)).toBe(task === 'deep' ? 'FAILED' : 'SUCCEEDED');
        if (task === 'deep') expect((await app.request('GET', `/${id}/result`)).text).toMatch(/nested deeper/);
      }
      await isNormal(driver);
    });

    test('executions that occupy every slot that they can have', long, async () => {
      const { ada, mallory: app } = of(driver);
      const ids: string[] = [];
      let refused = null;
      while (refused === null && ids.length < 1_000) {
        const answer = await app.request('POST', '/', { body: '{"task": "hold"}' });
        if (answer.status === 201) ids.push((answer.body as ServiceExecution).id);
        else refused = answer;
      }
      expect(refused).toMatchObject({ status: 429, body: { title: 'Too many executions wait' } });
      const running = async (): Promise<number> => {
        const { read } = kethub.platform.database;
        const rows = await read.selectFrom('executions').select('id').where('status', '=', 'RUNNING').execute();
        return rows.filter(({ id }) => ids.includes(id)).length;
      };
      // Long executions of one owner take half of the slots of each worker.
      await expect.poll(running, patient).toBe(SLOTS_PER_WORKER);
      await succeeds(ada, 3);
      expect(await running()).toBe(SLOTS_PER_WORKER);
      await Promise.all(ids.map((id) => app.request('PUT', `/${id}/cancel`)));
      for (const id of ids) expect(await endOf(app, id)).toBe('CANCELLED');
      await isNormal(driver);
    });
  });

  test('readers of a log that do not read', long, async () => {
    const { ada, mallory: app } = of('sandbox');
    const { id } = await app.start({ task: 'log' });
    await expect.poll(() => executionOf(app, id), patient).toMatchObject({ status: 'RUNNING' });
    const { pathname } = new URL(flooded);
    const request = `GET ${pathname}/${id}/log HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${app.bearer}\r\nAccept: text/event-stream\r\n\r\n`;
    const readers = Array.from({ length: 300 }, (_, index) =>
      connection(portOf('gateway'), `127.0.2.${1 + (index % 3)}`, request, false),
    );
    const statuses = () => readers.map(({ status }) => status).filter((status) => status !== 0);
    await expect.poll(() => statuses().length, patient).toBe(300);
    expect(statuses().filter((status) => status === 200)).toHaveLength(READERS_PER_CALLER);
    expect(statuses().filter((status) => status === 429)).toHaveLength(300 - READERS_PER_CALLER);
    await succeeds(ada, 3);
    const other = await ada.finish({ task: 'none' });
    expect((await ada.request('GET', `/${other.id}/log`)).status).toBe(200);
    for (const { socket } of readers) socket.destroy();
    const read = async (): Promise<number> => (await app.request('GET', `/${id}/log`)).status;
    await expect.poll(read, patient).toBe(200);
    await app.request('PUT', `/${id}/cancel`);
    expect(await endOf(app, id)).toBe('CANCELLED');
    await isNormal('sandbox');
  });

  test('connections that send a byte every second', long, async () => {
    const { ada } = of('sandbox');
    const address = '127.0.0.9';
    const [api, gateway] = [portOf('api'), portOf('gateway')];
    const form = 'Host: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000';
    const dribble = (index: number) => {
      const [port, path] = index % 2 === 0 ? [api, '/auth/token'] : [gateway, '/token'];
      return connection(port, address, `POST ${path} HTTP/1.1\r\n${form}\r\n\r\n`, true);
    };
    const slow = Array.from({ length: 500 }, (_, index) => dribble(index));
    const openNow = () => slow.filter(({ socket }) => !socket.destroyed).length;
    let lasts = true;
    const sending = setInterval(() => {
      for (const [index, { socket, status }] of slow.entries()) {
        if (socket.writable) socket.write('x');
        else if (lasts && status === 408) slow[index] = dribble(index);
      }
    }, 1_000);
    try {
      await expect.poll(openNow, patient).toBeLessThanOrEqual(2 * CONNECTIONS_PER_ADDRESS);
      expect(slow.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
      await succeeds(ada, 3);
      expect((await kethub.client.getMe()).id).toEqual(expect.any(String));
      await expect.poll(openNow, patient).toBeGreaterThan(0);
      lasts = false;
      await expect.poll(openNow, patient).toBe(0);
      // A refused connection may break before its answer is read.
      const answers = slow.map(({ status }) => status).filter((status) => status !== 0);
      expect(new Set(answers)).toEqual(new Set([408, 429]));
    } finally {
      clearInterval(sending);
    }
    const again = [api, gateway].map((port) =>
      connection(port, address, 'GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', true),
    );
    await expect.poll(() => again.map(({ status }) => status), patient).toEqual([200, 200]);
    await isNormal('sandbox');
  });
});
