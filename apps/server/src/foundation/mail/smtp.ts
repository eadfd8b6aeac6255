import { createTransport } from 'nodemailer';
import type { SmtpSettings } from '../config/index.ts';
import { AUTOMATIC, type Transport } from './transport.ts';

/** Milliseconds for each step of a delivery; beyond them it fails and is tried again. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, dnsTimeout: 10_000, socketTimeout: 30_000 };

/**
 * Delivers mails to a mail server. A password is sent only over TLS and only to a server with a trusted certificate.
 * Without a password, `smtp` uses opportunistic TLS and accepts any certificate (RFC 7435). A relay on the same machine
 * rarely has a trusted one, and the alternative would be no encryption.
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
    ...TIMEOUTS,
  });
  return {
    async deliver({ to, subject, text }, { from, messageId, date }, signal) {
      await smtp.sendMail({
        from,
        // A string would be parsed as a list of addresses.
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
