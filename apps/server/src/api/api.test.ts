import { problems } from '@kethub/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlite } from '../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../testing/kethub.ts';

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly items?: Schema;
  readonly additionalProperties?: unknown;
}
interface Description {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

describe('the description of the interfaces', () => {
  let platform: TestKethub;
  beforeAll(async () => {
    platform = await startTestKethub(sqlite);
  });
  afterAll(() => platform.close());

  const described = async (): Promise<Description[]> => {
    const { api, gateway } = platform.kethub.platform.addresses;
    return Promise.all(
      [api, gateway].map(async (address) => (await (await fetch(`${address}/openapi.json`)).json()) as Description),
    );
  };

  test('is OpenAPI 3.1 at both addresses, and every reference in it leads somewhere', async () => {
    for (const description of await described()) {
      expect(description.openapi).toBe('3.1.0');
      expect(Object.keys(description.paths).length).toBeGreaterThan(5);
      for (const [, name] of JSON.stringify(description).matchAll(/"\$ref":"([^"]*)"/g)) {
        expect(name).toMatch(/^#\/components\/schemas\//);
        expect(Object.keys(description.components.schemas)).toContain(name?.split('/').at(-1));
      }
    }
  });

  // The platform compiles them without judging them.
  test('has valid schemas only', async () => {
    const ajv = new Ajv2020({ strict: false, logger: false });
    for (const { components, paths } of await described()) {
      const schemas = Object.entries(components.schemas);
      // Those of parameters and bodies as well.
      JSON.stringify(paths, (key, value: unknown) => {
        if (key === 'schema') schemas.push(['of an operation', value]);
        return value;
      });
      for (const [name, schema] of schemas)
        expect(ajv.validateSchema(schema as object), `${name}: ${ajv.errorsText()}`).toBe(true);
    }
  });

  test('has a name for each shape, and bodies of the platform refuse members that they do not describe', async () => {
    const [api] = await described();
    const remedy = 'Give the shape an $id, and make a body with Request (packages/contract/src/fields.ts)';
    const wrong = Object.values(api?.paths ?? {})
      .flatMap((one) => Object.values(one))
      .flatMap(({ operationId, requestBody, responses }) => {
        const body = requestBody?.content['application/json']?.schema;
        const shape = api?.components.schemas[body?.$ref?.split('/').at(-1) ?? ''] as Schema | undefined;
        const unnamed = Object.values(responses).filter(({ content }) => {
          const schema = content?.['application/json']?.schema;
          return schema !== undefined && (schema.items ?? schema).$ref === undefined;
        });
        return [
          ...(body && shape?.additionalProperties !== false ? [`body of ${operationId}`] : []),
          ...unnamed.map(() => `answer of ${operationId}`),
        ];
      });
    // Documents and inputs whose members others decide.
    const ofOthers = ['uploadApiSpecification', 'startJob', 'startJobOfVersion'].map((id) => `body of ${id}`);
    expect(wrong, remedy).toEqual(ofOthers);
  });

  test('has every operation answer what its address answers', async () => {
    const [description] = await described();
    const me = description?.paths['/me'];
    expect(me?.['get']?.operationId).toBe('getMe');
    expect(description?.servers[0]?.url).toBe(platform.kethub.platform.addresses.api);
  });

  test.each(Object.entries(problems))(
    'the problem %s has a page, and a status that fits',
    async (code, { status, title }) => {
      const { problems: address } = platform.kethub.platform.addresses;
      const page = await fetch(`${address}/${code}`);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const html = await page.text();
      expect(html).toContain(`<h1>${title}</h1>`);
      expect(html).toContain(`status ${status}`);
    },
  );

  test('a problem that an operation names is in the catalogue under the status of the answer', async () => {
    for (const { paths } of await described()) {
      for (const operation of Object.values(paths).flatMap((one) => Object.values(one))) {
        for (const [status, { description }] of Object.entries(operation.responses)) {
          for (const [, code] of description.matchAll(/`([a-z-]+)`:/g)) {
            expect(problems).toHaveProperty([code ?? '', 'status'], Number(status));
          }
        }
      }
    }
  });

  test('a person who opens the address finds where everything is', async () => {
    const { api, gateway } = platform.kethub.platform.addresses;
    const page = await fetch(new URL('/', api));
    expect(page.status).toBe(200);
    expect(await page.text()).toContain(gateway);
  });

  test.each([
    ['/api/users/batch', 'POST'],
    ['/api/me/access-tokens/default', 'PUT'],
    ['/api/users/somebody', 'GET, HEAD'],
  ])('Allow of %s names %s, and not what a placeholder beside it takes', async (path, allow) => {
    const answer = await fetch(new URL(path, platform.kethub.platform.addresses.api), { method: 'OPTIONS' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  test('a body is described also where the operation reads it by itself', async () => {
    const [api, gateway] = await described();
    const media = (one: Operation | undefined): string[] => Object.keys(one?.requestBody?.content ?? {});
    expect(media(api?.paths['/me/profile-image']?.['post'])).toEqual(['multipart/form-data']);
    expect(api?.paths['/services']?.['post']?.requestBody?.content).toMatchObject({
      'multipart/form-data': { schema: { required: ['name', 'source'], additionalProperties: false } },
    });
    expect(media(api?.paths['/services/{serviceId}/versions']?.['post'])).toEqual([
      'application/zip',
      'application/xml',
      'multipart/form-data',
      'application/json',
    ]);
    expect(media(gateway?.paths['/token']?.['post'])).toEqual(['application/x-www-form-urlencoded']);
    expect(media(gateway?.paths['/{owner}/{service}/{version}/']?.['post'])).toEqual(['application/json']);
  });

  test('a member with a default need not be sent, and names are described by their pattern', async () => {
    const [api] = await described();
    const configuration = api?.components.schemas['RuntimeConfiguration'];
    expect(configuration).toMatchObject({
      required: [],
      properties: { environment: { propertyNames: { pattern: expect.any(String) } } },
    });
  });

  test.each([
    ['POST', '/api/me', 405],
    // It asks for a body, and gets no further than to hear that it is not taken.
    ['QUERY', '/api/me', 405],
    ['POST', '/api/nothing', 404],
    ['GET', '/api/nothing', 404],
    ['GET', '/api/services/not-an-id', 401],
  ])('%s %s answers %i with a problem document', async (method, path, status) => {
    const answer = await fetch(new URL(path, platform.kethub.platform.addresses.api), { method });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({
      status,
      instance: path,
      type: expect.stringContaining('/api/problems/'),
    });
    expect(answer.headers.get('x-request-id')).not.toBeNull();
  });
});
