import { signInWithPassword, workflowForm } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { thorough } from '@kethub/server/testing/amounts';
import { sqlite } from '@kethub/server/testing/databases';
import { callerOf, type Caller } from '@kethub/server/testing/gateway';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '@kethub/server/testing/kethub';
import { probe } from '@kethub/server/testing/probe';
import { bpmn } from '@kethub/server/testing/workflows';
import { fuzz, installed, total, type Exercised, type Fuzzing } from './fuzz/schemathesis.ts';

const { errorEnd, file, flow, start } = bpmn;
const PASSWORD = 'correct horse battery staple';
/**
 * Operations that end the caller's account or session. A separate user calls them, because later requests would be
 * refused.
 */
const fatal = ['deleteMe'];
/** Requests of a caller who is refused everywhere. The other phases need accepted requests. */
const refused = { phases: ['fuzzing'], ...(thorough ? {} : { requests: 2 }) } as const;
/** Requests of a second caller with the rights of the first: limits of schemas and sequences do not depend on a credential. */
const repeated = thorough ? {} : ({ phases: ['examples', 'fuzzing'], requests: 2 } as const);

type Part = 'api' | 'gateway';
interface Operation {
  readonly id: string;
  /** `METHOD /path`. */
  readonly name: string;
}

/** A user with resources of every kind that the platform interface serves. */
interface Inhabitant {
  readonly loginSession: string;
  readonly accessToken: string;
  readonly deployed: DeployedService;
  readonly known: Fuzzing['known'];
}

describe.skipIf(installed === undefined)('generated requests', { timeout: 600_000 }, () => {
  let kethub: TestKethub;
  let grace: Inhabitant;
  let edsger: Inhabitant;
  const exercised: Record<Part, Exercised[]> = { api: [], gateway: [] };

  beforeAll(async () => {
    kethub = await startTestKethub(sqlite, { KETHUB_RATE_LIMIT_LOOKUPS: '1000000' });
    [grace, edsger] = [await settle('grace'), await settle('edsger')];
  });
  afterAll(() => kethub.close());

  async function settle(username: string): Promise<Inhabitant> {
    const { client, loginSession } = await kethub.signIn(username);
    const deployed = await deploy(client, `Probe of ${username}`, probe);
    const { id: userId } = await client.getMe();
    const used = await client.createAccessToken({ json: { name: 'used' } });
    const lost = await client.createAccessToken({ json: { name: 'lost' } });
    if (!used.value) throw new Error('A new token without its value');
    const { service, application, subscription } = deployed;
    const recipient = { type: 'USER' as const, id: (await kethub.client.getMe()).id };
    const share = await client.createShare({ serviceId: service.id, json: { recipient } });
    const params = { return: { answer: 42 }, files: { 'one.txt': '1' }, print: ['a line'] };
    const job = await client.startJob({ serviceId: service.id, json: { params }, headers: { prefer: 'wait=60' } });
    const pools = [
      await client.createDataPool({ json: { name: 'kept' } }),
      await client.createDataPool({ json: { name: 'lost' } }),
    ];
    const xml = file([start('start'), errorEnd('broken', 'CODE', '="no luck"'), flow('start', 'broken')], {
      errors: ['CODE'],
    });
    const workflow = await client.createService({
      body: workflowForm({ name: `Workflow of ${username}`, source: new Blob([xml]) }),
    });
    await client.publishServiceVersion({ serviceId: workflow.id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    const instance = await client.startJob({ serviceId: workflow.id, json: {}, headers: { prefer: 'wait=60' } });
    for (const { id } of pools)
      await client.uploadDataPoolFile({ dataPoolId: id, name: 'one.txt', body: new Blob(['1']) });
    const implementations = [
      await client.createImplementation({ json: { name: 'kept' } }),
      await client.createImplementation({ json: { name: 'lost' } }),
    ];
    const commits = [];
    for (const { id: implementationId } of implementations) {
      const form = new FormData();
      form.set('message', 'first');
      form.append('files', new Blob(['def run():\n    return 1\n']), 'src/program.py');
      commits.push((await client.commitToImplementation({ implementationId, body: form })).commit);
    }
    const known = {
      implementationId: implementations.map(({ id }) => id),
      commit: ['main', ...commits],
      id: [userId, lost.id],
      serviceId: [service.id, workflow.id],
      instanceId: [instance.id],
      incident: [1],
      version: ['1.0.0', '1.0.1'],
      applicationId: [application.id],
      keyId: application.accessKeys.map(({ id }) => id),
      subscriptionId: [subscription.id],
      shareId: [share.id],
      executionId: [job.id, instance.id],
      file: ['one.txt'],
      dataPoolId: pools.map(({ id }) => id),
      name: ['one.txt'],
      memberType: ['USER'],
      memberId: [userId],
    };
    return { loginSession, accessToken: used.value, deployed, known };
  }

  /** Signs in a user who owns nothing. */
  async function newcomer(username: string, status: 'APPROVED' | 'PENDING'): Promise<string> {
    const person = { username, email: `${username}@example.org`, firstname: username, lastname: 'Test' };
    await kethub.kethub.identity.createUser({ ...person, password: PASSWORD, status });
    return signInWithPassword({ authUrl: kethub.kethub.platform.addresses.auth, username, password: PASSWORD });
  }

  async function withstands(part: Part, fuzzing: Omit<Fuzzing, 'address'>, signal: AbortSignal): Promise<void> {
    const address = kethub.kethub.platform.addresses[part];
    const { passed, report, exercised: cases } = await fuzz({ address, ...fuzzing }, signal);
    exercised[part].push(cases);
    if (!passed) throw new Error(`Schemathesis found something:\n${report}`);
  }

  async function described(part: Part): Promise<Operation[]> {
    const answer = await fetch(`${kethub.kethub.platform.addresses[part]}/openapi.json`);
    const { paths } = (await answer.json()) as { paths: Record<string, Record<string, { operationId: string }>> };
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({
        id: operationId,
        name: `${method.toUpperCase()} ${path}`,
      })),
    );
  }

  async function expectEveryOperation(part: Part): Promise<void> {
    const cases = total(exercised[part]);
    const operations = await described(part);
    for (const { name } of operations) process.stderr.write(`  ${name}: ${summary(cases.get(name))}\n`);
    expect(operations.filter(({ name }) => !cases.has(name))).toEqual([]);
  }

  describe('to the platform interface', () => {
    test('of an approved user with a login session', async ({ signal }) => {
      const { loginSession, known } = grace;
      await withstands('api', { headers: bearer(loginSession), known, except: fatal }, signal);
    });

    test('of an approved user with a personal access token', async ({ signal }) => {
      const { accessToken, known } = edsger;
      await withstands('api', { headers: { 'X-Auth-Token': accessToken }, known, except: fatal, ...repeated }, signal);
    });

    test('of a user who is not approved yet', async ({ signal }) => {
      const headers = bearer(await newcomer('alan', 'PENDING'));
      await withstands('api', { headers, known: edsger.known, ...refused }, signal);
    });

    test('without a credential', async ({ signal }) => {
      await withstands('api', { headers: {}, known: edsger.known, ...refused }, signal);
    });

    test('that end the account of who makes them', async ({ signal }) => {
      const there = (await described('api')).map(({ id }) => id).filter((id) => fatal.includes(id));
      for (const id of there) {
        const headers = bearer(await newcomer(`last-${id.toLowerCase()}`, 'APPROVED'));
        await withstands('api', { headers, known: {}, only: [id] }, signal);
      }
    });

    test('have reached every operation', () => expectEveryOperation('api'));
  });

  describe('to the gateway', () => {
    let ken: Inhabitant;
    let known: Fuzzing['known'];
    let application: Caller;

    beforeAll(async () => {
      ken = await settle('ken');
      application = await callerOf(ken.deployed);
      const params = { return: { answer: 42 }, files: { 'one.txt': '1', 'two.bin': '2' }, print: ['a line'] };
      const ended = [await application.finish({ params }), await application.finish({ params: { raise: 'as asked' } })];
      const [owner = '', service = '', version = ''] = new URL(ken.deployed.endpoint).pathname.split('/').slice(1);
      known = {
        owner: [owner],
        service: [service],
        version: [version],
        id: ended.map(({ id }) => id),
        file: ['one.txt', 'two.bin'],
      };
    });

    test('of a subscribed application', async ({ signal }) => {
      await withstands('gateway', { headers: bearer(application.bearer), known, except: ['requestToken'] }, signal);
    });

    test('of an application that asks for a token', async ({ signal }) => {
      const { accessKeyId, secretAccessKey } = ken.deployed;
      const pair = Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString('base64');
      const headers = { Authorization: `Basic ${pair}` };
      await withstands('gateway', { headers, known: {}, only: ['requestToken'] }, signal);
    });

    test('without a credential', async ({ signal }) => {
      await withstands('gateway', { headers: {}, known, ...refused }, signal);
    });

    test('have reached every operation', () => expectEveryOperation('gateway'));
  });
});

/** `120 requests, 200 ×60, 401 ×60`. */
function summary(statuses: ReadonlyMap<number, number> = new Map()): string {
  const counts = [...statuses].toSorted(([a], [b]) => a - b);
  const sum = counts.reduce((all, [, by]) => all + by, 0);
  return `${sum} requests, ${counts.map(([status, by]) => `${status} ×${by}`).join(', ')}`;
}

function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}
