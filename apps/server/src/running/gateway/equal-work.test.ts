import type { FastifyRequest } from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRawToken, digestOf } from '../../foundation/storage/index.ts';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform } from '../../testing/platform.ts';
import { watchWork } from '../../testing/work.ts';
import { AccessDirectory } from '../../catalog/access/index.ts';
import { createBearers } from './bearer.ts';
import { gatewayKeys } from './signing-key.ts';
import { createTokenEndpoint } from './token.ts';

describe.each(databases())('granting bearer tokens on $name', ({ open }) => {
  test('costs the same for a wrong secret, an unknown key and a key that has ended', async () => {
    const platform = await createTestPlatform(open);
    onTestFinished(() => platform.close());
    const known = createRawToken('ket_ak_');
    const ended = createRawToken('ket_ak_');
    const secret = createRawToken('ket_sk_');
    await platform.database.write(async (transaction) => {
      const id = platform.newId();
      const application = { id, owner_type: 'USER', owner_id: 'ada', name: 'x', created_at: 0, revision: 1 } as const;
      await transaction.insertInto('applications').values(application).execute();
      const key = {
        application_id: id,
        secret_digest: digestOf(secret),
        sealed_secret: '',
        secret_hint: '',
        created_at: 0,
      };
      for (const [access_key_id, expires_at] of [
        [known, null],
        [ended, 1],
      ] as const) {
        await transaction
          .insertInto('access_keys')
          .values({ ...key, id: platform.newId(), access_key_id, expires_at })
          .execute();
      }
    });
    const { platform: watched, taken } = watchWork(platform);
    const directory = new AccessDirectory(watched);
    onTestFinished(() => directory.close());
    const keys = await gatewayKeys(platform);
    onTestFinished(() => keys.close());
    const bearers = createBearers(keys, 'https://gateway.test', platform.newId);
    const endpoint = createTokenEndpoint(watched, bearers, directory);
    const workOf = async (key: string, its: string) => {
      const headers = { authorization: `Basic ${Buffer.from(`${key}:${its}`).toString('base64')}` };
      const body = new URLSearchParams({ grant_type: 'client_credentials' });
      // The endpoint reads nothing else of the request.
      const answer = await endpoint.grant({ headers, body } as Partial<FastifyRequest> as FastifyRequest);
      // The polls for changes of access do not depend on the key.
      const statements = taken().filter((statement) => !statement.startsWith('RawNode'));
      return { status: answer.status, body: answer.body, statements };
    };
    const wrong = await workOf(known, createRawToken('ket_sk_'));
    expect(wrong.status).toBe(401);
    expect(wrong.statements.length).toBeGreaterThan(0);
    expect(await workOf(createRawToken('ket_ak_'), secret)).toEqual(wrong);
    expect(await workOf(ended, secret)).toEqual(wrong);
    expect((await workOf(known, secret)).status).toBe(200);
  });
});
