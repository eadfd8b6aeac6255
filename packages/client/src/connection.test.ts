import { expect, test } from 'vitest';
import { beginAuthorization } from './authorization-code.ts';
import { path } from './connection.ts';
import { createGatewayClient } from './gateway-client.ts';
import { createPlatformClient } from './platform-client.ts';
import { findSignInEndpoint } from './sign-in-endpoint.ts';
import { signInWithPassword } from './sign-in.ts';
import { json, problem, standIn } from './testing.stand-in.ts';

test('a part of a path cannot change the path', () => {
  expect(path`/a/${'b/../c?d#e'}/f`).toBe('/a/b%2F..%2Fc%3Fd%23e/f');
  for (const part of ['', '.', '..']) expect(() => path`/a/${part}`).toThrow('is no id or name');
});

test('credentials do not follow a redirect to another host', async () => {
  const elsewhere = await standIn(json({}));
  const { url } = await standIn((response) => void response.writeHead(302, { location: elsewhere.url }).end());
  const platform = createPlatformClient({ baseUrl: url, credential: { accessToken: 'ket_pat_x' } });
  await expect(platform.getMe()).rejects.toMatchObject({ status: 302, code: 'unexpected-answer' });
  expect(elsewhere.requests).toHaveLength(0);
});

test('a bearer token that the gateway refuses is renewed once, not for ever', async () => {
  const token = json({ access_token: 'token', token_type: 'Bearer', expires_in: 3600 });
  const { url, requests } = await standIn(
    token,
    problem(401, 'not-authenticated'),
    token,
    problem(401, 'not-authenticated'),
  );
  const credentials = { accessKeyId: 'ket_ak_x', secretAccessKey: 'ket_sk_x' };
  const gateway = createGatewayClient({ ...credentials, tokenEndpoint: `${url}/token`, endpoint: `${url}/one/` });
  await expect(gateway.getExecution({ id: 'id' })).rejects.toMatchObject({ status: 401 });
  expect(requests.map((request) => request.url)).toEqual(['/token', '/one/id', '/token', '/one/id']);
});

test('calls at the same time share one bearer token', async () => {
  const token = json({ access_token: 'token', token_type: 'Bearer', expires_in: 3600 });
  const { url, requests } = await standIn(token, json([]));
  const credentials = { accessKeyId: 'ket_ak_x', secretAccessKey: 'ket_sk_x' };
  const gateway = createGatewayClient({ ...credentials, tokenEndpoint: `${url}/token`, endpoint: `${url}/one/` });
  await Promise.all([gateway.listExecutions(), gateway.listExecutions(), gateway.at(`${url}/two/`).listExecutions()]);
  expect(requests.map((request) => String(request.url)).sort()).toEqual(['/one/', '/one/', '/token', '/two/']);
});

test('a password goes nowhere else than to the host that was named', async () => {
  const elsewhere = await standIn(json({}));
  const endpoints = { token_endpoint: `${elsewhere.url}/token`, authorization_endpoint: `${elsewhere.url}/authorize` };
  const { url } = await standIn(json(endpoints));
  const signIn = signInWithPassword({ authUrl: url, username: 'ada', password: 'secret' });
  await expect(signIn).rejects.toThrow('not at the address you sign in to');
  expect(elsewhere.requests).toHaveLength(0);
});

test('the answer to another sign-in is refused before its code is used', async () => {
  const { url, requests } = await standIn((response, request) => {
    const origin = `http://${request.headers.host}`;
    json({ token_endpoint: `${origin}/token`, authorization_endpoint: `${origin}/authorize` })(response, request);
  });
  const redirectUri = 'http://127.0.0.1:1/callback';
  const authorization = await beginAuthorization({ authUrl: url, redirectUri });
  const { searchParams } = new URL(authorization.url);
  expect(Object.fromEntries(searchParams)).toMatchObject({ redirect_uri: redirectUri, code_challenge_method: 'S256' });
  await expect(authorization.finish(new URLSearchParams({ state: 'other', code: 'c' }))).rejects.toThrow(
    'another sign-in',
  );
  const state = searchParams.get('state') ?? '';
  const denied = authorization.finish(new URLSearchParams({ state, error: 'access_denied' }));
  await expect(denied).rejects.toMatchObject({ code: 'access_denied' });
  expect(requests).toHaveLength(1);
});

test.each([
  ['http://localhost:1/api', 'http://issuer.example.org/realms/x', true],
  ['https://kethub.example.org/api', 'https://issuer.example.org/realms/x', true],
  ['https://kethub.example.org/api', 'http://localhost:8080/realms/x', true],
  ['https://kethub.example.org/api', 'http://issuer.example.org/realms/x', false],
  ['https://kethub.example.org/api', 'javascript:alert(1)', false],
  ['https://kethub.example.org/api', undefined, false],
])('a platform at %s may send people to %s to sign in: %s', async (baseUrl, issuer, may) => {
  const endpoint = findSignInEndpoint({ baseUrl, fetch: () => Promise.resolve(Response.json({ issuer })) });
  if (may) expect(await endpoint).toBe(issuer);
  else await expect(endpoint).rejects.toMatchObject({ code: 'unexpected-answer' });
});
