import { expect, test } from 'vitest';
import { RenewalFailed, SignInNeeded } from './authorize.ts';
import { beginAtRealm, cameBack, RealmTokens, signOutOfRealm } from './realm.ts';

const origin = 'https://kethub.example.org';
const issuer = 'https://login.example.org/realms/lab';

/** A storage of one tab. */
function storage() {
  const kept = new Map<string, string>();
  return {
    kept,
    setItem: (name: string, value: string) => void kept.set(name, value),
    getItem: (name: string) => kept.get(name) ?? null,
    removeItem: (name: string) => void kept.delete(name),
  };
}

/** A realm that gives these answers, and records what it is asked. */
function realm(...answers: (Response | Error)[]) {
  const asked: Record<string, string>[] = [];
  const tokens = new RealmTokens(issuer, origin, (_input, init) => {
    asked.push(Object.fromEntries(init?.body as URLSearchParams));
    const answer = answers[asked.length - 1];
    return answer instanceof Response
      ? Promise.resolve(answer)
      : Promise.reject(answer ?? new Error('asked once more'));
  });
  return { asked, tokens };
}

const granted = (value: string, refresh?: string): Response =>
  Response.json({ access_token: value, expires_in: 300, ...(refresh !== undefined && { refresh_token: refresh }) });
const back = (query: Record<string, string>) => new URLSearchParams(query);

test('the way back needs what this tab has kept, once', async () => {
  const tab = storage();
  const { searchParams: asked } = new URL(await beginAtRealm(issuer, origin, '/me/services?tag=a', tab));
  expect(asked.get('prompt')).toBeNull();
  const state = asked.get('state') ?? '';
  const verifier = (JSON.parse([...tab.kept.values()].join('')) as { verifier: string }).verifier;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  expect(asked.get('code_challenge')).toBe(Buffer.from(digest).toString('base64url'));
  const answer = back({ code: 'one', state });
  expect(cameBack(answer, origin, tab)).toEqual({ code: 'one', verifier, returnTo: '/me/services?tag=a' });
  expect(tab.kept.size).toBe(0);
  expect(cameBack(answer, origin, tab)).toEqual({ code: null, returnTo: '/me' });
});

test.each([
  ['another state', { code: 'one', state: 'of somebody else' }],
  ['no code', { error: 'access_denied' }],
])('an answer with %s signs nobody in', async (_what, query) => {
  const tab = storage();
  await beginAtRealm(issuer, origin, '/me/services', tab);
  expect(cameBack(back(query), origin, tab)).toEqual({ code: null, returnTo: '/me/services' });
});

test.each(['no JSON', 'null', '{}', '{"state":1}'])('a storage with %j began nothing', (text) => {
  const tab = storage();
  tab.setItem('kethub-sign-in', text);
  expect(cameBack(back({ code: 'one', state: 'undefined' }), origin, tab)).toEqual({ code: null, returnTo: '/me' });
});

test('a code is redeemed with its verifier, then each refresh token is used once', async () => {
  const { asked, tokens } = realm(granted('a', 'first'), granted('b', 'second'), granted('c'));
  expect(await tokens.redeem({ code: 'one', verifier: 'secret' })).toMatchObject({ value: 'a' });
  expect(await tokens.renew()).toMatchObject({ value: 'b' });
  expect(await tokens.renew()).toMatchObject({ value: 'c' });
  // The last answer had none.
  await expect(tokens.renew()).rejects.toThrow(SignInNeeded);
  expect(asked).toEqual([
    {
      grant_type: 'authorization_code',
      code: 'one',
      code_verifier: 'secret',
      redirect_uri: `${origin}/callback`,
      client_id: 'kethub',
    },
    { grant_type: 'refresh_token', refresh_token: 'first', client_id: 'kethub' },
    { grant_type: 'refresh_token', refresh_token: 'second', client_id: 'kethub' },
  ]);
});

test('an ended session, and a realm that fails or does not answer, are told apart', async () => {
  const { tokens } = realm(
    granted('a', 'first'),
    new TypeError('Failed to fetch'),
    new Response(null, { status: 503 }),
    Response.json({ error: 'invalid_grant' }, { status: 400 }),
  );
  await tokens.redeem({ code: 'one', verifier: 'secret' });
  await expect(tokens.renew()).rejects.toThrow(RenewalFailed);
  await expect(tokens.renew()).rejects.toThrow(RenewalFailed);
  await expect(tokens.renew()).rejects.toThrow(SignInNeeded);
  await expect(tokens.renew()).rejects.toThrow('no session');
});

test('after a sign-out nothing is renewed', async () => {
  const { tokens } = realm(granted('a', 'first'));
  await tokens.redeem({ code: 'one', verifier: 'secret' });
  tokens.forget();
  await expect(tokens.renew()).rejects.toThrow(SignInNeeded);
  expect(signOutOfRealm(issuer, origin)).toContain('/realms/lab/protocol/openid-connect/logout?client_id=kethub');
});
