import { expect, test } from 'vitest';
import { readConfiguration, Refusal } from './index.ts';

const whole = {
  KETHUB_SIGN_IN_ISSUER: 'https://login.example.org/realms/lab',
  KETHUB_SIGN_IN_CLIENT_ID: 'kethub',
  KETHUB_SIGN_IN_CLIENT_SECRET: 'secret',
  KETHUB_SIGN_IN_NAME: 'Example Lab',
};

test('without the settings people sign in by password only', () => {
  expect(readConfiguration({}).upstream).toBeNull();
  expect(readConfiguration({ KETHUB_SIGN_IN_ISSUER: '' }).upstream).toBeNull();
});

test('a provider as a whole is taken, also without a secret', () => {
  const upstream = { issuer: whole.KETHUB_SIGN_IN_ISSUER, clientId: 'kethub', name: 'Example Lab' };
  expect(readConfiguration(whole).upstream).toEqual({ ...upstream, clientSecret: 'secret' });
  const open = { ...whole, KETHUB_SIGN_IN_CLIENT_SECRET: '' };
  expect(readConfiguration(open).upstream).toEqual({ ...upstream, clientSecret: null });
});

test.each(['KETHUB_SIGN_IN_ISSUER', 'KETHUB_SIGN_IN_CLIENT_ID', 'KETHUB_SIGN_IN_NAME'])(
  'a provider without %s stops the start',
  (name) => {
    expect(() => readConfiguration({ ...whole, [name]: '' })).toThrow(Refusal);
    expect(() => readConfiguration({ ...whole, [name]: '' })).toThrow(new RegExp(` needs ${name}\\.$`));
  },
);

test('a secret alone stops the start, and is not repeated', () => {
  const read = (): unknown => readConfiguration({ KETHUB_SIGN_IN_CLIENT_SECRET: 'very-secret' });
  expect(read).toThrow('KETHUB_SIGN_IN_CLIENT_SECRET needs KETHUB_SIGN_IN_ISSUER, KETHUB_SIGN_IN_CLIENT_ID');
  expect(read).not.toThrow(/very-secret/);
});

test.each([
  'http://login.example.org',
  'http://localhost.example.org',
  'https://ada:secret@login.example.org',
  'https://login.example.org/?tenant=1',
  'https://',
])('%s is no issuer to be trusted', (issuer) => {
  expect(() => readConfiguration({ ...whole, KETHUB_SIGN_IN_ISSUER: issuer })).toThrow(/KETHUB_SIGN_IN_ISSUER.* must/);
});

test('a provider on this machine may speak http', () => {
  const local = { ...whole, KETHUB_SIGN_IN_ISSUER: 'http://localhost:8180/realms/lab' };
  expect(readConfiguration(local).upstream).toMatchObject({ issuer: local.KETHUB_SIGN_IN_ISSUER });
});

test('with Keycloak as the identity provider it would have no effect, and stops the start', () => {
  const keycloak = {
    KETHUB_IDENTITY_PROVIDER: 'keycloak',
    KETHUB_OIDC_ISSUER: 'https://keycloak.example.org/realms/kethub',
    KETHUB_KEYCLOAK_ADMIN_CLIENT_ID: 'kethub-admin',
    KETHUB_KEYCLOAK_ADMIN_CLIENT_SECRET: 'secret',
  };
  expect(() => readConfiguration({ ...keycloak, ...whole })).toThrow(/KETHUB_SIGN_IN_ISSUER.* no effect with Keycloak/);
});
