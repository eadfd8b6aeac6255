import { sentenceOfPattern } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlite } from '../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../testing/kethub.ts';

const UNKNOWN = '01900000-0000-7000-8000-000000000000';

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly statuses: readonly string[];
  readonly problems: string;
}
interface Described {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly required?: boolean }[];
  readonly responses: Readonly<Record<string, { readonly description: string; readonly headers?: object }>>;
}

describe('the headers that the descriptions name', () => {
  let platform: TestKethub;
  let api: Operation[];
  let gateway: Operation[];

  beforeAll(async () => {
    platform = await startTestKethub(sqlite, { KETHUB_ADMINISTRATORS: 'ada' });
    const { addresses } = platform.platform;
    [api, gateway] = await Promise.all([operationsOf(addresses.api), operationsOf(addresses.gateway)]);
  });
  afterAll(() => platform.close());

  async function operationsOf(address: string): Promise<Operation[]> {
    const document = (await (await fetch(`${address}/openapi.json`)).json()) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
    };
    return Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, parameters = [], responses }]) => {
        const headers = parameters.filter((one) => one.in === 'header');
        // None has to be sent.
        expect(headers.filter(({ required }) => required)).toEqual([]);
        const problems = Object.values(responses).map(({ description }) => description);
        const names = headers.map(({ name }) => name);
        const all = { method, path, headers: names, statuses: Object.keys(responses), problems: problems.join(' ') };
        return { id: operationId, ...all };
      }),
    );
  }
  const having = (operations: readonly Operation[], header: string): string[] =>
    operations.filter(({ headers }) => headers.includes(header)).map(({ id }) => id);

  test('X-OrganizationId stands where the platform judges it, and only there', async () => {
    const judged = await Promise.all(
      api.map(async ({ id, method, path }) => {
        const answer = await fetch(platform.platform.addresses.api + path.replaceAll(/\{\w+\}/g, UNKNOWN), {
          method: method.toUpperCase(),
          headers: { authorization: `Bearer ${platform.loginSession}`, 'x-organizationid': UNKNOWN },
        });
        const text = method === 'head' ? '' : await answer.text();
        const isJudged =
          answer.headers.get('content-type')?.includes('problem') && text.includes('unknown-organization');
        // The answer to HEAD has no body to say why.
        return isJudged || (method === 'head' && answer.status === 403) ? id : '';
      }),
    );
    const named = having(api, 'X-OrganizationId');
    expect(named.length).toBeGreaterThan(80);
    expect(judged.filter(Boolean).sort()).toEqual(named.toSorted());
  });

  test('whatever creates something takes Idempotency-Key', () => {
    const creating = [...api, ...gateway].filter(
      ({ method, statuses }) => method === 'post' && statuses.includes('201'),
    );
    const without = creating.filter(({ headers }) => !headers.includes('Idempotency-Key')).map(({ id }) => id);
    // A mailbox has one invitation. A message has an id of its own that protects it. The adapter has the operations of
    // clients that send no such key. A commit that is sent again changes nothing, and is refused. A ticket ends after a
    // minute, and another one does no harm.
    const others = new Set(['publishWorkflowMessage', 'commitToImplementation']);
    const isOther = (id: string): boolean => others.has(id) || id.startsWith('qc') || id.endsWith('Ticket');
    const invitations = ['invite', 'inviteToImplementation'];
    expect(without.filter((id) => !isOther(id)).toSorted()).toEqual(invitations);
  });

  test('what can be refused for a header has the header as a parameter, and the other way round', () => {
    for (const { id, headers, problems, statuses } of [...api, ...gateway]) {
      const facts = {
        'Idempotency-Key': problems.includes('`idempotency-key-reused`'),
        'If-Match': problems.includes('`stale`'),
        'If-None-Match': statuses.includes('304'),
        Range: statuses.includes('206'),
      };
      for (const [name, isRead] of Object.entries(facts))
        expect([id, name, headers.includes(name)]).toEqual([id, name, isRead]);
    }
  });

  test('Prefer stands where the platform waits', () => {
    expect([...having(api, 'Prefer'), ...having(gateway, 'Prefer')].toSorted()).toEqual([
      'getBuild',
      'getExecution',
      'getOwnedExecution',
      'getWorkflowInstance',
      'getWorkflowJournal',
      'startExecution',
      'startJob',
      'startJobOfVersion',
    ]);
  });

  test('the start of an execution describes its body at both addresses', async () => {
    for (const [address, path] of [
      [platform.platform.addresses.gateway, '/{owner}/{service}/{version}/'],
      [platform.platform.addresses.api, '/services/{serviceId}/executions'],
    ] as const) {
      const document = (await (await fetch(`${address}/openapi.json`)).json()) as object;
      expect(document).toMatchObject({
        paths: {
          [path]: {
            post: {
              requestBody: {
                content: { 'application/json': { schema: { $ref: '#/components/schemas/ExecutionInput' } } },
              },
            },
          },
        },
        components: {
          schemas: {
            ExecutionInput: { properties: { data: {}, params: {}, $secrets: { type: 'object' } } },
            DataPoolReference: { properties: { ref: {} } },
          },
        },
      });
    }
  });

  test('every regular expression of the interfaces has a sentence for who breaks it', async () => {
    const patterns = new Set<string>();
    const look = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, inner] of Object.entries(value)) {
        if (name === 'pattern' && typeof inner === 'string') patterns.add(inner);
        else look(inner);
      }
    };
    const { addresses } = platform.platform;
    for (const address of [addresses.api, addresses.gateway])
      look(await (await fetch(`${address}/openapi.json`)).json());
    expect(patterns.size).toBeGreaterThan(15);
    expect([...patterns].filter((pattern) => sentenceOfPattern(pattern) === undefined)).toEqual([]);
  });

  test('the refusal of a text says what it must be, not an expression', async () => {
    const { loginSession } = await platform.signIn('grace');
    const answer = await fetch(`${platform.platform.addresses.api}/user-registration-status?email=x`, {
      headers: { authorization: `Bearer ${loginSession}` },
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ detail: '`email` must be an e-mail address such as ada@example.org.' });
  });
});
