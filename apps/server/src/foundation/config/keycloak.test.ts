import { expect, test } from 'vitest';
import { readConfiguration, Refusal } from './index.ts';

const whole = {
  KETHUB_IDENTITY_PROVIDER: 'keycloak',
  KETHUB_OIDC_ISSUER: 'https://keycloak.example.org/realms/kethub/',
  KETHUB_KEYCLOAK_ADMIN_CLIENT_ID: 'kethub-admin',
  KETHUB_KEYCLOAK_ADMIN_CLIENT_SECRET: 'secret',
};

test('people are known to the platform itself when nothing is said', () => {
  expect(readConfiguration({})).toMatchObject({ keycloak: null, demo: 'auto' });
});

test('a realm as a whole is taken, without the demo', () => {
  expect(readConfiguration(whole)).toMatchObject({
    keycloak: {
      issuer: 'https://keycloak.example.org/realms/kethub',
      audience: 'kethub',
      adminClientId: 'kethub-admin',
    },
    demo: 'off',
  });
  expect(readConfiguration({ ...whole, KETHUB_OIDC_AUDIENCE: 'api' })).toMatchObject({ keycloak: { audience: 'api' } });
});

test.each(Object.keys(whole).slice(1))('a realm without %s stops the start', (name) => {
  expect(() => readConfiguration({ ...whole, [name]: '' })).toThrow(
    new Refusal(`KETHUB_IDENTITY_PROVIDER=keycloak needs ${name}.`),
  );
});

test('settings of a realm that would have no effect stop the start', () => {
  for (const given of [{ ...whole, KETHUB_IDENTITY_PROVIDER: '' }, { KETHUB_OIDC_AUDIENCE: 'api' }])
    expect(() => readConfiguration(given)).toThrow(/no effect/);
});

test.each(['https://example.org', 'https://example.org/realms/', 'https://example.org/realms/a/b', 'realms/a'])(
  '%s is not the address of a realm',
  (issuer) => expect(() => readConfiguration({ ...whole, KETHUB_OIDC_ISSUER: issuer })).toThrow(/KETHUB_OIDC_ISSUER/),
);
