import { serviceForm } from '@kethub/client';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases, sqlite } from '@kethub/server/testing/databases';
import { poolUser } from '@kethub/server/testing/data-pools';
import { callerOf, member, type Caller } from '@kethub/server/testing/gateway';
import { build, deploy, startTestKethub, type DeployedService, type TestKethub } from '@kethub/server/testing/kethub';
import { zip } from '@kethub/server/testing/zip';
import { containersWith, engineOfTests, testEngine } from '@kethub/runtime/testing/images';
import { removableEngine, type RemovableEngine } from '@kethub/runtime/testing/removable-engine';
import { installationOf } from '@kethub/runtime/containers';

/** Waits for something that happens soon; checks every 20 ms. */
const ATTEMPTS = 1_500;

const LINES = [
  'FROM scratch',
  'COPY busybox run.sh /bin/',
  'RUN ["/bin/busybox", "--install", "-s", "/bin"]',
  'RUN echo it is being built',
];

/** A service without Python and without a registry: the shell of this machine in an image of its own. */
const files = {
  Dockerfile: [...LINES, 'ENTRYPOINT ["run.sh"]'].join('\n'),
  busybox: readFileSync('/bin/busybox'),
  'run.sh': `#!/bin/sh
cd /var/runtime/output
echo "mode $MODE, secret of \${#SECRET_MY_TOKEN} characters"
echo careful >&2
change() { (cd /var/runtime/datapool/lent; printf ' and wine' >> a.txt; rm gone.txt; echo new > new.txt); }
case "$(cat /var/runtime/input/task.json)" in
  '"fail"') echo before > partial.txt; exit 1 ;;
  '"wait"') sleep 60 ;;
  '"later"') sleep 4; echo later ;;
  '"change"') change; echo changed; sleep 4 ;;
  '"spoil"') change; ln -s a.txt /var/runtime/datapool/lent/link ;;
esac
printf '{"number": %s, "pool": "%s"}' "$(cat /var/runtime/input/number.json)" "$(cat /var/runtime/datapool/measured/*.txt 2>/dev/null)" > output.json
echo 1,2 > plot.csv
`,
};
const upload = {
  configuration: { runtime: 'DOCKER' as const, memoryGb: 0.125, environment: { MODE: 'fast' } },
  programs: ['busybox', 'run.sh'],
};

describe.skipIf(testEngine === null).each(databases())('services with a Dockerfile on $name', (kind) => {
  let kethub: TestKethub;
  let deployed: DeployedService;
  let app: Caller;
  let engine: RemovableEngine;

  beforeAll(async () => {
    engine = await removableEngine(testEngine ?? '');
    kethub = await startTestKethub(kind, { KETHUB_CONTAINER_ENGINE: engine.socketPath });
    deployed = await deploy(kethub.client, 'Shell', files, upload);
    app = await callerOf(deployed);
  });
  afterAll(async () => {
    const label = `kethub.installation=${installation().id}`;
    await kethub.close();
    engine.leave();
    // The engine goes on with a removal that it has accepted.
    for (let attempt = 0; attempt < ATTEMPTS && (await containersWith(label)).length > 0; attempt++) await pause(20);
    expect(await containersWith(label)).toEqual([]);
  });

  const imageOf = async (): Promise<string> => {
    const filters = JSON.stringify({ reference: [`${installation().repository}:*`] });
    const images = (await engineOfTests().ask('GET', '/images/json', { query: { filters } })) as {
      RepoTags: string[];
    }[];
    return images[0]?.RepoTags[0] ?? '';
  };
  const installation = () => installationOf(`${kethub.dataDir}/runtime`);
  const start = async (input: string): Promise<string> => {
    const answer = await app.request('POST', '/', { body: input });
    expect(answer.status).toBe(201);
    return member(answer.body, 'id');
  };
  const statusOf = async (id: string, prefer = 'wait=60') =>
    member((await app.request('GET', `/${id}`, { headers: { prefer } })).body, 'status');
  const ended = async (id: string): Promise<string> => {
    for (let status = ''; ;) {
      status = await statusOf(id);
      if (!['PENDING', 'RUNNING'].includes(status)) return status;
    }
  };
  const logOf = async (id: string): Promise<string[]> => {
    const { text } = await app.request('GET', `/${id}/log`, { headers: { accept: 'text/plain' } });
    return text.trimEnd().split('\n');
  };
  const logged = async (id: string, words: string): Promise<void> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++, await pause(20))
      if ((await logOf(id)).some((line) => line.includes(words))) return;
    throw new Error(`${words} is not in the log of ${id}`);
  };

  test('run: input, secret, log, result with every digit, files', async () => {
    const secret = "it's a secret";
    const input = { task: 'none', $secrets: { myToken: secret } };
    const id = await start(`{"number": 12345678901234567890, ${JSON.stringify(input).slice(1)}`);
    expect(await ended(id)).toBe('SUCCEEDED');
    const result = await app.request('GET', `/${id}/result`);
    expect(result.text).toContain('"number": 12345678901234567890');
    expect(result.body).toMatchObject({ pool: '', _links: { 'plot.csv': { href: expect.any(String) } } });
    expect((await app.request('GET', `/${id}/result/plot.csv`)).text).toBe('1,2\n');
    const log = (await logOf(id)).join('\n');
    expect(log).toContain(`mode fast, secret of ${secret.length} characters`);
    expect(log).toContain('careful');
    expect(log).not.toContain(secret);
    const path = `/services/${deployed.service.id}/executions/${id}/record`;
    const headers = { authorization: `Bearer ${kethub.loginSession}` };
    const record = await (await fetch(kethub.kethub.platform.addresses.api + path, { headers })).json();
    const { Id } = (await engineOfTests().ask('GET', `/images/${await imageOf()}/json`)) as { Id: string };
    expect(record).toMatchObject({
      environment: { digest: Id.slice('sha256:'.length), image: Id, platform: expect.stringMatching(/^linux\/\w+$/) },
      usage: {
        cpuSeconds: expect.any(Number),
        peakMemoryBytes: expect.any(Number),
        measuredBy: expect.stringMatching(/^CGROUPS_V[12]$/),
        bytesIn: expect.any(Number),
        bytesOut: '{"number": 12345678901234567890, "pool": ""}1,2\n'.length,
        logBytes: expect.any(Number),
      },
    });
  });

  test('read data pools that the input refers to', async () => {
    const user = await poolUser(kethub, kethub.loginSession);
    const pool = await user.create('Measured');
    await user.upload(pool, 'a.txt', 'water');
    const id = await start(JSON.stringify({ task: 'none', number: 1, measured: { id: pool.id, ref: 'DATAPOOL' } }));
    expect(await ended(id)).toBe('SUCCEEDED');
    expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({ pool: 'water' });
    const unknown = JSON.stringify({ measured: { id: crypto.randomUUID(), ref: 'DATAPOOL' } });
    expect((await app.request('POST', '/', { body: unknown })).body).toMatchObject({ status: 403 });
  });

  test('change a data pool that is lent to them with MODIFY: all at once, and only when they succeed', async () => {
    const user = await poolUser(kethub, kethub.loginSession);
    const pool = await user.create('Lent');
    await user.upload(pool, 'a.txt', 'water');
    await user.upload(pool, 'gone.txt', 'gone');
    const contents = async (): Promise<Record<string, string>> => {
      const files = (await user.call('GET', `/data-pools/${pool.id}/files`)).body as { name: string }[];
      const read = async ({ name }: { name: string }) =>
        [name, (await user.call('GET', `/data-pools/${pool.id}/files/${name}`)).text] as const;
      return Object.fromEntries(await Promise.all(files.map(read)));
    };
    const begin = { 'a.txt': 'water', 'gone.txt': 'gone' };
    const write = async (task: string): Promise<string> => {
      const body = { applicationId: deployed.application.id, permission: 'MODIFY' };
      const made = await user.call('POST', `/qc-catalog/datapools/${pool.id}/grants`, { body });
      const lent = { id: pool.id, ref: 'DATAPOOL', grant: member(made.body, 'token') };
      return start(JSON.stringify({ task, number: 1, lent }));
    };
    expect(await ended(await write('spoil'))).toBe('FAILED');
    expect(await contents()).toEqual(begin);
    const id = await write('change');
    await logged(id, 'changed');
    expect(await contents()).toEqual(begin);
    const { runnerPid } = await kethub.kethub.runtime.status();
    process.kill(runnerPid, 'SIGKILL');
    expect(await ended(id)).toBe('SUCCEEDED');
    expect(await contents()).toEqual({ 'a.txt': 'water and wine', 'new.txt': 'new\n' });
  });

  test('fail with their exit code, and an input that no file can hold is refused in words', async () => {
    const id = await start('{"task": "fail"}');
    expect(await ended(id)).toBe('FAILED');
    const { body } = await app.request('GET', `/${id}/result`);
    expect(body).toMatchObject({ title: 'Ended early', _links: { 'partial.txt': expect.anything() } });
    const odd = await start('{"a/b": 1}');
    expect(await ended(odd)).toBe('FAILED');
    expect((await logOf(odd)).join()).toContain('a/b');
  });

  test('are cancelled', async () => {
    const id = await start('{"task": "wait"}');
    await logged(id, 'careful');
    expect((await app.request('PUT', `/${id}/cancel`)).status).toBeLessThan(300);
    expect(await ended(id)).toBe('CANCELLED');
  });

  test('go on while the platform and its runner are away, and are collected by the next', async () => {
    const id = await start('{"task": "later", "number": 7}');
    await logged(id, 'careful');
    const { runnerPid } = await kethub.kethub.runtime.status();
    await kethub.kethub.stop();
    process.kill(runnerPid, 'SIGKILL');
    await kethub.restart();
    expect(await ended(id)).toBe('SUCCEEDED');
    expect((await logOf(id)).filter((line) => /careful|later|mode/.test(line))).toHaveLength(3);
    expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({ number: 7 });
  });

  test('that were accepted wait for an engine that is away', async () => {
    await kethub.restart();
    engine.leave();
    const id = await start('{"task": "none", "number": 8}');
    // The worker may start it at this moment. It must not fail then.
    for (let attempt = 0; attempt < 100 && (await statusOf(id, 'wait=0')) === 'PENDING'; attempt++) await pause(20);
    await engine.comeBack();
    expect(await ended(id)).toBe('SUCCEEDED');
    expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({ number: 8 });
  });

  test('whose build fails have a whole log; what is switched to another runtime is built anew', async () => {
    const broken = {
      ...files,
      Dockerfile: [...LINES, 'RUN echo nearly && exit 9'].join('\n'),
      'src/program.py': 'def run():\n    return 1\n',
    };
    const { service, build: failed } = await build(kethub.client, 'Broken', broken, upload);
    expect(failed).toMatchObject({
      status: 'FAILED',
      problem: { code: 'image-build-failed', detail: expect.stringContaining('code: 9') },
    });
    expect(JSON.stringify(await kethub.client.getBuildLog({ serviceId: service.id, version: '1.0.0' }))).toMatch(
      /it is being built.*nearly.*code: 9/s,
    );
    await kethub.client.configureServiceVersion({
      serviceId: service.id,
      version: '1.0.0',
      json: { runtime: 'PYTHON_TEMPLATE' },
    });
    for await (const one of kethub.client.watchBuild({ serviceId: service.id, version: '1.0.0' }))
      if (one.status === 'SUCCEEDED') return;
    throw new Error('It was not built as a Python project');
  });

  test('leave no image behind when they are deleted', async () => {
    const tags = async (): Promise<string[]> => {
      const query = { filters: JSON.stringify({ label: [`kethub.installation=${installation().id}`] }) };
      const images = (await engineOfTests().ask('GET', '/images/json', { query })) as { RepoTags: string[] | null }[];
      return images.flatMap(({ RepoTags }) => RepoTags ?? []);
    };
    expect(await tags()).toHaveLength(1);
    await kethub.client.deleteService({ serviceId: deployed.service.id, force: true });
    await kethub.restart();
    for (let attempt = 0; attempt < ATTEMPTS && (await tags()).length > 0; attempt++) await pause(20);
    expect(await tags()).toEqual([]);
  });
});

test('without a container engine a service with a Dockerfile is refused with what is missing; others run', async () => {
  const kethub = await startTestKethub(sqlite, { KETHUB_CONTAINER_ENGINE: 'off' });
  try {
    const source = await zip({ Dockerfile: 'FROM scratch' });
    const refused = kethub.client.createService({
      body: serviceForm({ name: 'Shell', configuration: { runtime: 'DOCKER' }, source }),
    });
    await expect(refused).rejects.toThrow(/apt-get install docker.io busybox-static/);
    expect(await kethub.client.listServices()).toEqual([]);
    const python = { 'src/__init__.py': '', 'src/program.py': 'def run():\n    return {"runs": True}\n' };
    const app = await callerOf(await deploy(kethub.client, 'Python', python));
    const { id } = await app.finish({});
    expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({ runs: true });
  } finally {
    await kethub.close();
  }
});
