import { createTransport } from 'nodemailer';
import type { SmtpSettings } from '../config/index.ts';
import { AUTOMATIC, type Transport } from './transport.ts';

const PATIENCE = { connectionTimeout: 10_000, greetingTimeout: 10_000, dnsTimeout: 10_000, socketTimeout: 30_000 };

/**
 * Hands mails to a mail server. A password is only ever given over TLS to a server whose certificate is trusted. Without
 * one, `smtp` encrypts where the server can, to whomever it is (RFC 7435): a relay on the same machine rarely has a
 * certificate that anybody trusts, and would otherwise be spoken to in clear.
 */
export function createSmtpTransport({ host, port, implicitTls, credentials }: SmtpSettings): Transport {
  const verified = implicitTls || credentials !== null;
  const smtp = createTransport({
    host,
    port,
    secure: implicitTls,
    requireTLS: verified && !implicitTls,
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password }, forceAuth: true }),
    tls: { rejectUnauthorized: verified },
    disableFileAccess: true,
    disableUrlAccess: true,
    ...PATIENCE,
  });
  return {
    async deliver({ to, subject, text }, { from, messageId, date }, signal) {
      await smtp.sendMail({
        from,
        // As an object: a text would be read as a list of addresses.
        to: { name: '', address: to },
        subject,
        text,
        messageId,
        date,
        headers: AUTOMATIC,
        signal,
      });
    },
  };
}
