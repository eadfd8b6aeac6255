import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Implementation, Service, ServiceVersion } from '@kethub/contract';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { amounts } from '@kethub/server/testing/amounts';
import { KethubProcess } from '@kethub/server/testing/child-process';
import { sqlite } from '@kethub/server/testing/databases';
import { GitClient, gitTokenOf } from '@kethub/server/testing/git-client';
import { startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';

// Each kill is a start of the platform, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 300_000 });

const KILLS = amounts.killsOfServicesFromGit;
/** Milliseconds after the request in which a kill comes. */
const CREATE_MS = 400;
const PUSH_MS = 6_000;

const program = (answer: number) => `def run(data, params):\n    return {"answer": ${answer}}\n`;

let kethub: TestKethub;
let git: GitClient;
let platform: KethubProcess;
let made: Implementation;
let url: string;

beforeAll(async () => {
  kethub = await startTestKethub(sqlite);
  git = await GitClient.open();
  const token = await gitTokenOf(kethub.client);
  made = await kethub.client.createImplementation({ json: { name: 'killed' } });
  url = made.cloneUrl.replace('://', `://x:${token}@`);
  const { api, gateway } = kethub.platform.addresses;
  await kethub.stop();
  const port = Number(new URL(api).port);
  const settings = {
    KETHUB_DATA_DIR: kethub.dataDir,
    KETHUB_PORT: String(port),
    KETHUB_GATEWAY_PORT: new URL(gateway).port,
    KETHUB_DASHBOARD: 'off',
    KETHUB_DEMO: 'off',
    KETHUB_LOG_LEVEL: 'debug',
  };
  platform = new KethubProcess(settings, port);
  await platform.ready();
});
afterAll(async () => {
  await platform.end();
  await git.close();
  await kethub.close();
});

async function push(answer: number, ...refs: string[]): Promise<{ commit: string; pushed: Promise<unknown> }> {
  const commit = await git.commit('killed', { 'src/__init__.py': '', 'src/program.py': program(answer) });
  return { commit, pushed: git.try('killed', 'push', '-q', url, 'main', ...refs) };
}

async function killAfter(milliseconds: number): Promise<void> {
  await pause(milliseconds);
  await platform.end('SIGKILL');
}

function versionsOf({ id: serviceId }: Service): Promise<readonly ServiceVersion[]> {
  return kethub.client.listServiceVersions({ serviceId, limit: 100 });
}

test(`after ${KILLS} kills during Create Service each service is whole or not there`, async () => {
  const { commit, pushed } = await push(0);
  await pushed;
  for (let kill = 0; kill < KILLS; kill++) {
    const ask = () =>
      kethub.client.createServiceOfImplementation({
        implementationId: made.id,
        json: { name: `service-${kill}` },
        headers: { 'idempotency-key': `service-${kill}` },
      });
    const first = ask().catch(() => null);
    await killAfter(randomInt(CREATE_MS));
    const answered = await first;
    await platform.restart();
    const service = await ask();
    if (answered) expect(service.id).toBe(answered.id);
  }
  const services = await kethub.client.listServices({ limit: 100 });
  expect(services.map(({ name }) => name).toSorted()).toEqual(
    Array.from({ length: KILLS }, (_, kill) => `service-${kill}`).toSorted(),
  );
  for (const service of services) {
    const versions = await versionsOf(service);
    expect(versions).toMatchObject([{ version: '1.0.0', state: 'DRAFT', origin: { commit } }]);
    // The build reads the whole source.
    await untilBuilt(service, '1.0.0');
  }
});

async function untilBuilt({ id: serviceId }: Service, version: string): Promise<void> {
  for (;;) {
    const { status } = await kethub.client.getBuild({ serviceId, version });
    if (status === 'SUCCEEDED') return;
    expect(status).not.toBe('FAILED');
    await pause(100);
  }
}

test(`after ${KILLS} kills during pushes each branch has its draft, and each tag its one published version`, async () => {
  const service = async (
    name: string,
    source: { on: 'BRANCH' | 'TAG'; pattern: string; action: 'DRAFT' | 'PUBLISH' },
  ) => {
    const created = await kethub.client.createServiceOfImplementation({ implementationId: made.id, json: { name } });
    const serviceId = created.id;
    await untilBuilt(created, '1.0.0');
    await kethub.client.publishServiceVersion({ serviceId, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    await kethub.client.setServiceSource({ serviceId, json: { implementationId: made.id, ...source } });
    return created;
  };
  const branch = await service('branch', { on: 'BRANCH', pattern: 'main', action: 'DRAFT' });
  const tagged = await service('tagged', { on: 'TAG', pattern: 'v*', action: 'PUBLISH' });
  const commits: string[] = [];
  for (let kill = 1; kill <= KILLS; kill++) {
    const tag = `HEAD:refs/tags/v1.${kill}.0`;
    const { commit, pushed } = await push(kill, tag);
    commits.push(commit);
    await killAfter(randomInt(PUSH_MS));
    await pushed;
    await platform.restart();
    // A second push of the same commits has no effect.
    await git.run('killed', 'push', '-q', url, 'main', tag);
    for (;;) {
      const draft = (await versionsOf(branch)).find(({ state }) => state === 'DRAFT');
      const newest = (await versionsOf(tagged)).find(({ version }) => version === `1.${kill}.0`);
      if (draft?.origin?.commit === commit && newest?.state === 'PUBLISHED') break;
      await pause(100);
    }
  }
  await untilBuilt(branch, '1.1.0');
  expect((await versionsOf(branch)).map(({ version, state }) => `${version} ${state}`).toSorted()).toEqual([
    '1.0.0 PUBLISHED',
    '1.1.0 DRAFT',
  ]);
  const published = (await versionsOf(tagged)).filter(({ version }) => version !== '1.0.0');
  expect(published.map(({ version, state, origin }) => `${version} ${state} ${origin?.commit}`).toSorted()).toEqual(
    commits.map((commit, number) => `1.${number + 1}.0 PUBLISHED ${commit}`).toSorted(),
  );
});
