import { SignInRecords } from '../../audit/index.ts';
import { createMailer } from '../../../foundation/mail/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { createAccessTokenVerifier } from './access-token.ts';
import { warnOfUnknownProxy } from '../client-address.ts';
import { Attempts } from '../base/attempts.ts';
import { createUser } from './create-user.ts';
import { createEmbeddedAdministration, findIdentityByEmail } from './administration.ts';
import type { IdentityService } from '../identity-provider.ts';
import { loadKeys } from './keys.ts';
import { createOidcProvider } from './oidc-provider.ts';
import { endOidcSessions, purgeOidcRecords } from '../base/oidc-records.ts';
import { serveOidcProvider } from './oidc-routes.ts';
import { createFindIdentity, deleteIdentity, findApproved } from '../base/queries.ts';
import { purgeRegistrations } from '../registration/registration.ts';
import { inviteAdministrators } from '../registration/administrators.ts';
import { CsrfProtection } from '../registration/csrf.ts';
import { MailLimits } from '../registration/limits.ts';
import { findUnverified, findUnverifiedByEmail } from '../registration/queries.ts';
import { accountOf, createSignIn } from './sign-in.ts';
import { signInName } from '../base/sign-in-name.ts';
import { UpstreamSignIn } from '../upstream/sign-in.ts';

/** Milliseconds between two deletions of expired records. */
const PURGE_EVERY_MS = 10 * 60 * 1000;
/** Milliseconds that a refused sign-in waits at most until it is recorded. */
const RECORD_EVERY_MS = 2_000;

/**
 * Opens the identity provider that comes with the platform. It uses the platform's database and, for {auth_url}, its
 * server. Its keys are generated on the first start.
 */
export async function createEmbeddedIdentity(platform: Platform): Promise<IdentityService> {
  const keys = await loadKeys(platform);
  const verifyToken = createAccessTokenVerifier(platform, keys.signing);
  warnOfUnknownProxy(platform);
  const attempts = new Attempts(platform);
  const records = new SignInRecords(platform, accountOf(platform));
  const signIn = createSignIn(platform, attempts, records);
  const provider = createOidcProvider(platform, keys, signIn);
  const { upstream: settings } = platform.configuration;
  const upstream = settings && new UpstreamSignIn(platform, settings);
  const mailer = createMailer(platform);
  const registration = { platform, mailer, limits: new MailLimits(platform.now) };
  const protection = new CsrfProtection(keys.cookies, new URL(platform.addresses.auth));
  await inviteAdministrators(platform, mailer).catch(async (error: unknown) => {
    await keys.signing.close();
    await mailer.close();
    throw error;
  });
  const findIdentity = createFindIdentity(platform.database);
  let written: Promise<unknown> = Promise.resolve();
  let purging: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    purging = Promise.all([purgeOidcRecords(platform), attempts.purge(), purgeRegistrations(platform)]).catch(
      (error: unknown) => {
        platform.log.warn(
          { err: error },
          'expired records of the identity provider could not be deleted; the next round tries again',
        );
      },
    );
  }, PURGE_EVERY_MS).unref();
  const recording = setInterval(() => {
    written = written.then(() =>
      records.flush().catch((error: unknown) => {
        platform.log.warn({ err: error }, 'refused sign-ins could not be recorded; the next round tries again');
      }),
    );
  }, RECORD_EVERY_MS).unref();
  return {
    issuer: platform.addresses.auth,
    browserSignIn: null,
    mailer,
    administration: createEmbeddedAdministration(platform),
    tokenEndpoint: `${platform.addresses.auth}/token`,
    async verify(accessToken) {
      const subject = await verifyToken(accessToken);
      return subject === null ? null : { subject };
    },
    // Not cached, so that an account that is rejected or disabled loses its access at once.
    find: async (subject) => (await findIdentity(subject)) ?? findUnverified(platform.database.read, subject),
    findApproved: (subjects) => findApproved(platform.database.read, subjects),
    // Accounts take precedence, because anybody can register with an address and never confirm it.
    async findByEmail(email) {
      const [{ read }, name] = [platform.database, signInName(email)];
      return (await findIdentityByEmail(read, name)) ?? findUnverifiedByEmail(read, name);
    },
    endSessions: (subject) => endOidcSessions(platform, subject),
    delete: (subject) => deleteIdentity(platform.database, subject),
    serve: (app) =>
      serveOidcProvider(platform, app, {
        currentProvider: provider,
        signIn,
        records,
        upstream,
        registration,
        protection,
      }),
    createUser: (user) => createUser(platform, user),
    async close() {
      clearInterval(timer);
      clearInterval(recording);
      await written;
      await records.flush().catch((error: unknown) => {
        platform.log.warn({ err: error }, 'refused sign-ins of the last seconds could not be recorded');
      });
      await keys.signing.close();
      await purging;
      await mailer.close();
    },
  };
}
