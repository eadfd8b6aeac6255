import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/**
 * A self-signed certificate for localhost, which clients trust by configuration only. Its key is no secret. Valid until
 * 2126.
 */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUOebJFQjXuHtRLXNBvLBqV/YlE0YwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE0NDAxOFoYDzIxMjYxMDI4
MTQ0MDE4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAS1gFu/SuI0IjKrSCPtEAqZ1hAP1v5HZv9g+7ZMFBs07NhjcyaYoIn8
V/ubmnHDC3hzcv1h7swg3kJ02Pf9V+sdo28wbTAdBgNVHQ4EFgQUAav2kx35CMWf
2CFH/K+VtbPjkFswHwYDVR0jBBgwFoAUAav2kx35CMWf2CFH/K+VtbPjkFswDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgGTyWYkgNIkcF9FX3s1RuRsnbYg09jXbIKMKx3mdMdFACIQD1
SUie+cFBd03E7f2r3kry96HLl8lfpypxIFN6zzTw8Q==
-----END CERTIFICATE-----`;
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgSt1jolFwJO8EJxlX
r/AD0S/WKbIrUGbiVxutoQ1OepqhRANCAAS1gFu/SuI0IjKrSCPtEAqZ1hAP1v5H
Zv9g+7ZMFBs07NhjcyaYoIn8V/ubmnHDC3hzcv1h7swg3kJ02Pf9V+sd
-----END PRIVATE KEY-----`;

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** True if the connection was encrypted. */
  readonly encrypted: boolean;
  readonly user: string | null;
  readonly content: string;
}

/** A real mail server that keeps the mails, on loopback unless another address is given. */
interface TestSmtpServer {
  readonly port: number;
  readonly received: ReceivedMail[];
  /** User and password of every attempt to sign in. */
  readonly attempts: { readonly user: string; readonly password: string }[];
  /** Answers every mail with 451 while true. */
  refusing: boolean;
  close(): Promise<void>;
}

export async function startSmtpServer(
  options: {
    readonly host?: string;
    readonly port?: number;
    readonly password?: string;
    readonly tls?: 'none' | 'starttls' | 'implicit';
  } = {},
): Promise<TestSmtpServer> {
  const received: ReceivedMail[] = [];
  const attempts: { user: string; password: string }[] = [];
  const server: SMTPServer = new SMTPServer({
    ...encryption(options.tls ?? 'starttls'),
    logger: false,
    disableReverseLookup: true,
    authOptional: options.password === undefined,
    onAuth({ username = '', password = '' }, _session, done) {
      attempts.push({ user: username, password: password ?? '' });
      if (password === options.password) done(null, { user: username });
      else done(Object.assign(new Error('Wrong password'), { responseCode: 535 }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (test.refusing) return done(Object.assign(new Error('Not now'), { responseCode: 451 }));
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          encrypted: session.secure,
          user: typeof session.user === 'string' ? session.user : null,
          content: Buffer.concat(chunks).toString('utf8'),
        });
        return done();
      });
    },
  });
  // A client that does not trust the certificate closes the connection, which is no error of the server.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const test: TestSmtpServer = {
    port,
    received,
    attempts,
    refusing: false,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return test;
}

function encryption(tls: 'none' | 'starttls' | 'implicit'): SMTPServerOptions {
  if (tls === 'none') return { disabledCommands: ['STARTTLS'], allowInsecureAuth: true };
  return { secure: tls === 'implicit', key: KEY, cert: CERTIFICATE };
}
