import { SignJWT, generateKeyPair, importJWK, type JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestAccounts, type TestAccounts } from '../../../testing/accounts.ts';
import { databases } from '../../../testing/databases.ts';
import { loadKeys } from './keys.ts';

const HOURS = 3_600;

type SigningKey = Parameters<SignJWT['sign']>[0];

describe.each(databases())('access tokens of login sessions on $name', ({ open }) => {
  let server: TestAccounts;
  let genuine: SigningKey;
  let claims: JWTPayload;
  let kid: string;
  // The clock stands still: what is nearly expired is not expired by a slow machine.
  const began = Date.now();
  let later = 0;
  beforeAll(async () => {
    server = await startTestAccounts(open, { now: () => began + later });
    const { signing } = await loadKeys(server.platform);
    await signing.close();
    genuine = await importJWK(signing.keys.signing, 'ES256');
    kid = signing.keys.signing.kid;
    const { id } = await server.addUser('ada');
    const now = Math.floor(began / 1000);
    const { api, auth } = server.platform.addresses;
    claims = { iss: auth, aud: api, sub: id, scope: 'profile', client_id: 'kethub', iat: now, exp: now + HOURS };
  });
  afterAll(() => server.close());

  const sign = (changed: Record<string, unknown>, header: object = {}, key: SigningKey = genuine): Promise<string> =>
    new SignJWT({ ...claims, ...changed })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header })
      .sign(key);

  async function expectRefused(token: string): Promise<void> {
    const response = await server.call('GET', '/me', token);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="Kethub", error="invalid_token"');
    expect(await response.json()).toMatchObject({ status: 401, type: expect.stringMatching(/\/not-authenticated$/) });
  }

  test('one that is right in every respect opens the interface', async () => {
    expect((await server.call('GET', '/me', await sign({}))).status).toBe(200);
  });

  const wrong: [what: string, changed: Record<string, unknown>][] = [
    ['for another audience', { aud: 'https://elsewhere.example/api' }],
    ['of another issuer', { iss: 'https://elsewhere.example/auth' }],
    ['that has expired', { exp: Math.floor(began / 1000) - 1 }],
    ['that never expires', { exp: undefined }],
    ['that is not valid yet', { nbf: Math.floor(began / 1000) + HOURS }],
    ['without the scope', { scope: 'openid' }],
    ['without a subject', { sub: undefined }],
    ['of a subject that does not exist', { sub: '01a1fd32-d765-71ab-ba39-25ede922012b' }],
  ];
  test.each(wrong)('one %s is refused', async (_what, changed) => expectRefused(await sign(changed)));

  test('an identity token is no access token', async () => expectRefused(await sign({}, { typ: 'JWT' })));

  test('one signed with another key is refused, whatever it says about its key', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    await expectRefused(await sign({}, {}, privateKey));
  });

  test('one signed with the public key as a shared secret is refused', async () => {
    const jwks = await (await fetch(`${server.platform.addresses.auth}/jwks`)).text();
    await expectRefused(await sign({}, { alg: 'HS256' }, new TextEncoder().encode(jwks)));
  });

  test.each(['none', 'None'])('one without a signature (alg %s) is refused', async (alg) => {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    await expectRefused(`${part({ alg, typ: 'at+jwt', kid })}.${part(claims)}.`);
  });

  test.each(['x', 'a.b.c', 'ey.ey.ey'])('%s is refused', (token) => expectRefused(token));

  test('one with a changed claim is refused', async () => {
    const [header, , signature] = (await sign({})).split('.');
    const payload = Buffer.from(JSON.stringify({ ...claims, sub: 'somebody-else' })).toString('base64url');
    await expectRefused(`${header}.${payload}.${signature}`);
  });

  test('one that was accepted is refused once it has expired', async () => {
    const token = await sign({ jti: 'remembered' });
    expect((await server.call('GET', '/me', token)).status).toBe(200);
    later = HOURS * 1000 - 5_000;
    expect((await server.call('GET', '/me', token)).status).toBe(200);
    later = HOURS * 1000;
    await expectRefused(token);
    later = 0;
  });
});
