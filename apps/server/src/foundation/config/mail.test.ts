import { expect, test } from 'vitest';
import { readConfiguration } from './index.ts';

const from = { KETHUB_MAIL_FROM: 'Kethub <kethub@example.org>' };

test.each([
  ['smtp://mail.example.org', { host: 'mail.example.org', port: 587, implicitTls: false, credentials: null }],
  ['smtps://mail.example.org', { port: 465, implicitTls: true }],
  ['smtp://[::1]:2525', { host: '::1', port: 2525 }],
  ['smtps://ada:p%40ss%2Fword@mail.example.org/', { credentials: { user: 'ada', password: 'p@ss/word' } }],
])('KETHUB_SMTP_URL=%s', (KETHUB_SMTP_URL, smtp) =>
  expect(readConfiguration({ KETHUB_SMTP_URL, ...from }).mail).toMatchObject({ from: from.KETHUB_MAIL_FROM, smtp }),
);

test('without a mail server mails are written to files', () => {
  expect(readConfiguration({}).mail).toEqual({ from: 'Kethub <kethub@localhost>', smtp: null });
  expect(readConfiguration({ KETHUB_MAIL_FROM: 'a@b.org' }).mail).toEqual({ from: 'a@b.org', smtp: null });
});

test.each([
  [{ KETHUB_SMTP_URL: 'smtp://ada:hunter2@mail.example.org' }, 'needs KETHUB_MAIL_FROM'],
  [{ KETHUB_SMTP_URL: 'ada:hunter2@mail.example.org', ...from }, 'KETHUB_SMTP_URL must match'],
  [{ KETHUB_SMTP_URL: 'smtp://ada:hunter2@mail.example.org/?x=y', ...from }, 'KETHUB_SMTP_URL must be smtp://'],
  [{ KETHUB_SMTP_URL: 'smtp://ada:hunter2%zz@mail.example.org', ...from }, 'KETHUB_SMTP_URL must be smtp://'],
  [{ KETHUB_SMTP_URL: 'smtp://ada:hunter2@', ...from }, 'KETHUB_SMTP_URL must be smtp://'],
  [{ KETHUB_MAIL_FROM: 'Kethub' }, 'KETHUB_MAIL_FROM='],
  [{ KETHUB_MAIL_FROM: 'a@b.org\r\nBcc: c@d.org' }, 'KETHUB_MAIL_FROM='],
])('%j is refused, and the password is not repeated', (settings: Record<string, string>, reason) => {
  expect(() => readConfiguration(settings)).toThrow(reason);
  expect(() => readConfiguration(settings)).toThrow(expect.not.objectContaining({ message: /hunter2/ }));
});

test('with Keycloak there is no mail to set up and no registration', () => {
  const keycloak = {
    KETHUB_IDENTITY_PROVIDER: 'keycloak',
    KETHUB_OIDC_ISSUER: 'https://keycloak.example.org/realms/kethub',
    KETHUB_KEYCLOAK_ADMIN_CLIENT_ID: 'kethub-admin',
    KETHUB_KEYCLOAK_ADMIN_CLIENT_SECRET: 'secret',
  };
  expect(() => readConfiguration({ ...keycloak, ...from })).toThrow('no effect with Keycloak');
});
