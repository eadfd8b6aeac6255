import { memberRoles, type MemberRole, type Service } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExecutionRow } from '../../foundation/storage/index.ts';
import { bareExecution } from '../../testing/bare-executions.ts';
import { databases } from '../../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { bpmn } from '../../testing/workflows.ts';
import { zip } from '../../testing/zip.ts';
import type { Owned, Request, Row } from '../../testing/matrix-rows.ts';
import { personalOperations, transfers, unrecordedOperations } from '../../testing/matrix-exceptions.ts';
import { matrix } from '../../testing/matrix.ts';

const program = 'def run(data, params):\n    return {}\n';
const UNKNOWN = '01a1fd32-d765-71ab-ba39-25ede922012b';
const OF_OWNER = 'The operation asks for each row together with the owner, contextOf(caller)';

/** An execution whose service and application are gone. */
const ended: Omit<ExecutionRow, 'id' | 'owner_type' | 'owner_id'> = {
  ...bareExecution,
  service_version_id: UNKNOWN,
  status: 'SUCCEEDED',
  created_at: 0,
  started_at: 0,
  ended_at: 1,
  result: '{}',
  log: '',
};

/** The caller: a member by role, a person who has not joined, a person whose registration waits, or no person. */
type Asker = MemberRole | 'STRANGER' | 'PENDING' | 'NOBODY';

describe.each(databases())('role × resource × operation on $name', (kind) => {
  let kethub: TestKethub;
  let organizationId: string;
  let workflow: ReturnType<Owned['workflow']> | null = null;
  const sessions = new Map<Asker, string>();
  const ids = new Map<string, string>();

  beforeAll(async () => {
    kethub = await startTestKethub(kind, { KETHUB_OWNER_BUILDS: '1000', KETHUB_BUILDS: '10000' });
    const { database } = kethub.kethub.platform;
    for (const name of [...memberRoles, 'STRANGER', 'PENDING'] as const) {
      const { loginSession } = await kethub.signIn(name.toLowerCase());
      sessions.set(name, loginSession);
      const me = (await (await call(name, 'GET', '/me')).json()) as { id: string };
      ids.set(name, me.id);
    }
    await database.write((transaction) =>
      transaction.updateTable('identities').set({ status: 'PENDING' }).where('username', '=', 'pending').execute(),
    );
    const created = await call('OWNER', 'POST', '/organizations', { name: 'Lab' });
    organizationId = ((await created.json()) as { id: string }).id;
    for (const role of ['VIEWER', 'MAINTAINER'] as const) await join(role, role);
    // The organization owns an application, so that no row can delete it.
    await owned().application();
  });
  afterAll(() => kethub.close());

  async function join(asker: Asker, role: MemberRole): Promise<void> {
    const user_id = ids.get(asker) ?? '';
    await kethub.kethub.platform.database.write((transaction) =>
      transaction
        .insertInto('memberships')
        .values({ organization_id: organizationId, user_id, role, created_at: 0 })
        .onConflict((conflict) => conflict.columns(['organization_id', 'user_id']).doUpdateSet({ role }))
        .execute(),
    );
  }

  async function call(
    asker: Asker,
    method: string,
    path: string,
    body?: object | FormData | Blob,
    organization?: string,
  ): Promise<Response> {
    const session = sessions.get(asker);
    const raw = body instanceof FormData || body instanceof Blob;
    return fetch(kethub.kethub.platform.addresses.api + path, {
      method,
      headers: {
        ...(session && { authorization: `Bearer ${session}` }),
        ...(organization && { 'x-organizationid': organization }),
        ...(body && !raw && { 'content-type': 'application/json' }),
        ...(body instanceof Blob && { 'content-type': 'application/zip' }),
      },
      ...(body && { body: raw ? body : JSON.stringify(body) }),
    });
  }

  /** Resources of the organization, created when a request needs them. */
  function owned(): Owned {
    const create = async (path: string, body: object | FormData): Promise<Record<string, unknown>> => {
      const response = await call('OWNER', 'POST', path, body, organizationId);
      if (response.status !== 201) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
      return (await response.json()) as Record<string, unknown>;
    };
    const id = async (path: string, body: object | FormData): Promise<string> =>
      String((await create(path, body))['id']);
    return {
      organizationId,
      memberId: async () => {
        await join('STRANGER', 'VIEWER');
        return ids.get('STRANGER') ?? '';
      },
      invitation: () => id(`/organizations/${organizationId}/invitations`, { email: 'x@example.org', role: 'VIEWER' }),
      application: () => id('/applications', { name: 'caller' }),
      async accessKey() {
        const { id: applicationId, accessKeys } = await create('/applications', { name: 'caller' });
        const [key] = accessKeys as { id: string }[];
        return { applicationId: String(applicationId), keyId: key?.id ?? '' };
      },
      service: async () => id('/services', await serviceForm(kethub.kethub.platform.newId())),
      async share() {
        const serviceId = await owned().service();
        const recipient = { type: 'USER', id: owned().recipientId };
        return { serviceId, shareId: await id(`/services/${serviceId}/shares`, { recipient }) };
      },
      async execution() {
        const executionId = kethub.kethub.platform.newId();
        await kethub.kethub.platform.database.write((transaction) =>
          transaction
            .insertInto('executions')
            .values({ ...ended, id: executionId, owner_type: 'ORGANIZATION', owner_id: organizationId })
            .execute(),
        );
        return executionId;
      },
      workflow: () => (workflow ??= makeWorkflow()),
      recipientId: ids.get('STRANGER') ?? '',
      onPremiseService: () =>
        id('/services', {
          type: 'ON_PREMISE',
          name: kethub.kethub.platform.newId(),
          target: { url: 'https://quantum.example.org/' },
        }),
      serviceForm: () => serviceForm(kethub.kethub.platform.newId()),
      source: () => zip({ 'src/__init__.py': '', 'src/program.py': program }),
      async dataPool() {
        const dataPool = await id('/data-pools', { name: 'measurements' });
        const uploaded = await call(
          'OWNER',
          'PUT',
          `/data-pools/${dataPool}/files/one.csv`,
          new Blob(['1']),
          organizationId,
        );
        if (uploaded.status !== 201)
          throw new Error(`The upload answered ${uploaded.status}: ${await uploaded.text()}`);
        return dataPool;
      },
      implementation: () => id('/implementations', { name: owned().newName() }),
      newName: () => kethub.kethub.platform.newId(),
      unknown: UNKNOWN,
    };
  }

  async function makeWorkflow(): Promise<{ serviceId: string; instanceId: string }> {
    const form = new FormData();
    const xml = bpmn.file([bpmn.start('start'), bpmn.end('end'), bpmn.flow('start', 'end')]);
    for (const [name, value] of [
      ['name', 'Workflow'],
      ['type', 'WORKFLOW'],
    ] as const)
      form.set(name, value);
    form.set('source', new Blob([xml]), 'workflow.bpmn');
    const service = (await (await call('OWNER', 'POST', '/services', form, organizationId)).json()) as Service;
    const executionId = await owned().execution();
    const { database } = kethub.kethub.platform;
    await database.write(async (transaction) => {
      const { id } = await transaction
        .selectFrom('service_versions')
        .select('id')
        .where('service_id', '=', service.id)
        .executeTakeFirstOrThrow();
      const ended = {
        phase: 'COMPLETED' as const,
        revision: 1,
        depth: 0,
        incidents: 0,
        child_incidents: 0,
        bytes: 0,
        created_at: 0,
      };
      await transaction
        .insertInto('workflow_instances')
        .values({ ...ended, id: executionId, owner: '', execution_id: executionId, service_version_id: id })
        .execute();
    });
    return { serviceId: service.id, instanceId: executionId };
  }

  async function serviceForm(name: string): Promise<FormData> {
    const form = new FormData();
    form.set('name', name);
    form.set('source', await owned().source(), 'source.zip');
    return form;
  }

  /** Requests that have changed nothing, by row: their resources are used again. */
  const unchanged = new Map<Row, Promise<Request>>();

  /** @param mayChange false for a request that is refused: it leaves its resources as they are, like one that reads. */
  async function requestOf(row: Row, mayChange: boolean): Promise<Request> {
    const made = unchanged.get(row) ?? Promise.resolve(row.request(owned()));
    const { method } = await made;
    if (mayChange && method !== 'GET' && method !== 'HEAD') unchanged.delete(row);
    else unchanged.set(row, made);
    return made;
  }

  async function ask(asker: Asker, row: Row, organization: string | undefined, mayChange = false): Promise<Response> {
    const { by } = row;
    const { method, path, body } = await requestOf(row, mayChange);
    if (asker === 'STRANGER') await leave();
    return call(asker, method, path, body, by === 'HEADER' ? organization : undefined);
  }
  const leave = () =>
    kethub.kethub.platform.database.write((transaction) =>
      transaction
        .deleteFrom('memberships')
        .where('organization_id', '=', organizationId)
        .where('user_id', '=', ids.get('STRANGER') ?? '')
        .execute(),
    );
  const entries = () =>
    kethub.kethub.platform.database.read.selectFrom('audit_entries').select('detail').orderBy('id').execute();
  const codeOf = async ({ bodiless }: Row, response: Response): Promise<string> => {
    const isProblem = response.headers.get('content-type') === 'application/problem+json';
    const { type } = bodiless || !isProblem ? {} : ((await response.json()) as { type: string });
    return [response.status, type?.split('/').at(-1)].join(' ').trimEnd();
  };

  const expectedCode = ({ bodiless }: Row, refusal: string): string => (bodiless ? refusal.slice(0, 3) : refusal);

  test('every endpoint of the platform interface has a row here, or is one of the user account service', async () => {
    const { api } = kethub.kethub.platform.addresses;
    const { paths } = (await (await fetch(`${api}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const described = Object.values(paths).flatMap((path) =>
      Object.values(path).map((one) => one.operationId.replace(/-head$/, '')),
    );
    const remedy =
      'A new operation has a row in testing/matrix.ts, or its id in personalOperations of testing/matrix-exceptions.ts';
    expect(described.toSorted(), remedy).toEqual([...Object.keys(matrix), ...personalOperations].toSorted());
  });

  describe.each(Object.entries(matrix))('%s', (id, row) => {
    for (const role of memberRoles) {
      const enough = memberRoles.indexOf(role) >= memberRoles.indexOf(row.role);
      test(`${role}: ${enough ? 'may' : 'may not'}`, async () => {
        // An earlier request may have changed the members.
        for (const member of memberRoles) await join(member, member);
        const response = await ask(role, row, organizationId, enough);
        if (enough) {
          expect([200, 201, 202, 204, ...(row.refusedFor ?? [])]).toContain(response.status);
          await response.body?.cancel();
        } else expect(await codeOf(row, response)).toBe(expectedCode(row, '403 not-permitted'));
      });
    }
    test('leaves exactly one entry in each audit log that it concerns when it changes rights, keys or publications', async () => {
      for (const member of memberRoles) await join(member, member);
      const { method, path, body } = await requestOf(row, true);
      const before = await entries();
      const response = await call('OWNER', method, path, body, row.by === 'HEADER' ? organizationId : undefined);
      await response.body?.cancel();
      // Reading a secret is recorded as well.
      const changes = method !== 'GET' && method !== 'HEAD' && !unrecordedOperations.has(id);
      const recorded = changes || id === 'revealSecretAccessKey' ? (transfers.has(id) ? 2 : 1) : 0;
      const made = (await entries()).slice(before.length);
      const remedy = 'It calls audit once, or has its id in unrecordedOperations of testing/matrix-exceptions.ts';
      expect(made, remedy).toHaveLength(response.ok ? recorded : 0);
      for (const { detail } of made) expect(detail).not.toMatch(/@|ket_(sk|pat)_/);
    });
    test('not a member: may not, and learns nothing', async () => {
      const response = await ask('STRANGER', row, organizationId);
      expect(await codeOf(row, response), OF_OWNER).toBe(
        expectedCode(row, row.by === 'HEADER' ? '403 unknown-organization' : '404 not-found'),
      );
    });
    test('personally, without the organization: what it owns is not there', async () => {
      if (row.by === 'PATH' || !row.onResource) return;
      const response = await ask('OWNER', row, undefined);
      expect(await codeOf(row, response), OF_OWNER).toMatch(row.bodiless ? /^404$/ : /^404 (execution-)?not-found$/);
    });
    test('registration not approved: 403; nobody: 401, or what is private is not there', async () => {
      expect(await codeOf(row, await ask('PENDING', row, organizationId))).toBe(expectedCode(row, '403 not-approved'));
      expect(await codeOf(row, await ask('NOBODY', row, organizationId))).toBe(
        expectedCode(row, row.visitors ? '404 not-found' : '401 not-authenticated'),
      );
    });
  });
});
