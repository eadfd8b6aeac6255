import { expect, test } from 'vitest';
import { renewToken, RenewalFailed, returnPath, signInAddress, SignInNeeded } from './authorize.ts';

const origin = 'https://kethub.example.org';

test.each([
  ['/me/executions/1?tab=log', '/me/executions/1?tab=log'],
  ['/org/1/services', '/org/1/services'],
  ['https://evil.example/me', '/me'],
  ['//evil.example/me', '/me'],
  [String.raw`/\evil.example/me`, '/me'],
  ['/api/me', '/me'],
  ['/mean', '/me'],
  ['javascript:alert(1)', '/me'],
  [null, '/me'],
])('a sign-in with the state %j leads to %s', (state, path) => expect(returnPath(state, origin)).toBe(path));

/** A provider that answers the silent request with this query, and records what it is asked. */
function provider(answer: (asked: URLSearchParams) => Record<string, string>) {
  const asked: { url: URL; body: unknown }[] = [];
  const fetchIt = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    asked.push({ url, body: init.body });
    if (init.method === 'POST') return Response.json({ access_token: 'token', expires_in: 900 });
    const response = new Response(null, { status: 204 });
    const query = new URLSearchParams(answer(url.searchParams)).toString();
    Object.defineProperty(response, 'url', { value: `${origin}/callback?${query}` });
    return response;
  };
  return { asked, fetch: fetchIt };
}

test('a token comes by a code that only the verifier redeems', async () => {
  const on = provider((asked) => ({ code: 'code', state: asked.get('state') ?? '' }));
  expect(await renewToken(origin, on.fetch)).toMatchObject({ value: 'token' });
  const [first, second] = on.asked;
  expect(first?.url.searchParams.get('prompt')).toBe('none');
  const body = second?.body as URLSearchParams;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body.get('code_verifier') ?? ''));
  expect(first?.url.searchParams.get('code_challenge')).toBe(Buffer.from(digest).toString('base64url'));
});

test('without a session a person has to sign in', async () => {
  const on = provider(() => ({ error: 'login_required' }));
  await expect(renewToken(origin, on.fetch)).rejects.toThrow(SignInNeeded);
});

test('an answer with another state is not taken', async () => {
  const on = provider(() => ({ code: 'code', state: 'of somebody else' }));
  await expect(renewToken(origin, on.fetch)).rejects.toThrow(RenewalFailed);
  expect(on.asked).toHaveLength(1);
});

test('a network that fails is no end of the session', async () => {
  const lost = () => Promise.reject(new TypeError('Failed to fetch'));
  await expect(renewToken(origin, lost)).rejects.toThrow(RenewalFailed);
});

test('the sign-in page brings back to where it was asked for', async () => {
  const url = new URL(await signInAddress(origin, '/me/services'));
  expect(url.searchParams.get('state')).toBe('/me/services');
  expect(url.searchParams.get('prompt')).toBeNull();
});
