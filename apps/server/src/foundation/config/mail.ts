import { Type, type Static, type TObject } from 'typebox';
import type { KeycloakFields } from './keycloak.ts';
import { Refusal } from './refusal.ts';

/** The mail server. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** Use TLS from the first byte instead of STARTTLS. */
  readonly implicitTls: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

export interface MailSettings {
  /** `ada@example.org` or `Kethub <ada@example.org>`. */
  readonly from: string;
  /** null if mails are written to files. */
  readonly smtp: SmtpSettings | null;
}

/** The settings of mail. */
export const MailFields = {
  KETHUB_SMTP_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://',
      description:
        'Mail server, with user and password if it asks for them: `smtp://user:password@mail.example.org:587`. `smtps` is TLS from the start. Default: mails are written to `<data folder>/outbox`.',
    }),
  ),
  KETHUB_MAIL_FROM: Type.Optional(
    Type.String({
      pattern: '^([^<>@\\r\\n]*<[^<>@\\s]+@[^<>@\\s]+>|[^<>@\\s]+@[^<>@\\s]+)$',
      maxLength: 320,
      description:
        'Address that mails come from: `kethub@example.org` or `Kethub <kethub@example.org>`. Default: none, needed with a mail server.',
    }),
  ),
};

type Given = Static<TObject<typeof MailFields & Pick<typeof KeycloakFields, 'KETHUB_IDENTITY_PROVIDER'>>>;

/**
 * Throws Refusal for missing settings, and for settings without effect. Its message never contains KETHUB_SMTP_URL,
 * which may hold a password.
 */
export function mailOf(given: Given): MailSettings {
  const { KETHUB_SMTP_URL: url, KETHUB_MAIL_FROM: from } = given;
  if (given.KETHUB_IDENTITY_PROVIDER === 'keycloak' && (url ?? from) !== undefined) {
    throw new Refusal(
      'KETHUB_SMTP_URL and KETHUB_MAIL_FROM have no effect with Keycloak, which sends its own mail. Leave them out.',
    );
  }
  if (url === undefined) return { from: from ?? 'Kethub <kethub@localhost>', smtp: null };
  if (from === undefined) {
    throw new Refusal('KETHUB_SMTP_URL needs KETHUB_MAIL_FROM, the address that mails come from.');
  }
  return { from, smtp: smtpOf(url) };
}

function smtpOf(text: string): SmtpSettings {
  const url = URL.parse(text);
  if (!url || url.hostname === '' || url.search !== '' || !['', '/'].includes(url.pathname)) throw malformed();
  const implicitTls = url.protocol === 'smtps:';
  const port = url.port === '' ? (implicitTls ? 465 : 587) : Number(url.port);
  // A URL has an IPv6 address in brackets; a socket needs it without them.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (url.username === '' && url.password === '') return { host, port, implicitTls, credentials: null };
  try {
    const credentials = { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
    return { host, port, implicitTls, credentials };
  } catch {
    throw malformed();
  }
}

function malformed(): Refusal {
  return new Refusal(
    'KETHUB_SMTP_URL must be smtp://<user>:<password>@<host>:<port> or smtps://…, where user and password may be left out and their special characters are written as %XX.',
  );
}
