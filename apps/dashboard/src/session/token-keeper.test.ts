import { expect, test } from 'vitest';
import { RenewalFailed, SignInNeeded } from './authorize.ts';
import { TokenKeeper } from './token-keeper.ts';

function keeper(...answers: (number | Error)[]) {
  let asked = 0;
  const kept = new TokenKeeper(async () => {
    const answer = answers[asked++];
    if (answer instanceof Error) throw answer;
    return { value: `token ${asked}`, expiresAt: Date.now() + (answer ?? 0) * 1000 };
  });
  return { kept, asked: () => asked };
}

test('all who ask at the same time share one renewal, and the token afterwards', async () => {
  const { kept, asked } = keeper(900);
  const answers = await Promise.all([kept.token(null), kept.token(null), kept.token(null)]);
  expect(answers).toEqual(Array.from({ length: 3 }, () => ({ token: 'token 1' })));
  await kept.token(null);
  expect(asked()).toBe(1);
});

test('a token that ends soon, that was refused or forgotten is renewed', async () => {
  const { kept } = keeper(30, 900, 900, 900);
  expect(await kept.token(null)).toEqual({ token: 'token 1' });
  expect(await kept.token(null)).toEqual({ token: 'token 2' });
  expect(await kept.token('token 2')).toEqual({ token: 'token 3' });
  kept.forget();
  expect(await kept.token(null)).toEqual({ token: 'token 4' });
});

test('the end of the session and a provider that cannot be reached are told apart', async () => {
  const { kept } = keeper(new SignInNeeded('login_required'), new RenewalFailed('no answer'), 900);
  expect(await kept.token(null)).toMatchObject({ refused: 'SIGN_IN_NEEDED' });
  expect(await kept.token(null)).toMatchObject({ refused: 'UNREACHABLE' });
  expect(await kept.token(null)).toEqual({ token: 'token 3' });
});
