import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import type { SignInRecords } from '../../audit/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { rememberClientAddress } from '../client-address.ts';
import { watchPasswords } from '../base/password-changes.ts';
import type { RegistrationServices } from '../registration/registration.ts';
import type { CsrfProtection } from '../registration/csrf.ts';
import { addRegistrationRoutes, signInLinks } from '../registration/routes.ts';
import { addUpstreamRoutes } from '../upstream/routes.ts';
import type { UpstreamSignIn } from '../upstream/sign-in.ts';
import type { NoticeFor } from '../base/interaction.ts';
import { noticeOf } from '../base/notice.ts';
import { findPerson } from '../registration/queries.ts';
import { judgeForms } from './oidc-forms.ts';
import { addSignInRoutes } from './sign-in-routes.ts';
import type { SignIn } from './sign-in.ts';

/** The services behind the routes of the embedded provider. */
interface EmbeddedServices {
  /** The provider with the current signing keys. */
  readonly currentProvider: () => Provider;
  readonly signIn: SignIn;
  readonly records: SignInRecords;
  readonly upstream: UpstreamSignIn | null;
  readonly registration: RegistrationServices;
  readonly protection: CsrfProtection;
}

/** Serves the provider and its pages under the path of the issuer, beside the other routes of `app`. */
export async function serveOidcProvider(
  platform: Platform,
  app: FastifyInstance,
  { currentProvider, signIn, records, upstream, registration, protection }: EmbeddedServices,
): Promise<void> {
  // Sign-in pages do not depend on the signing keys, so any provider serves them.
  const provider = currentProvider();
  const issuer = new URL(provider.issuer);
  // Empty if the issuer has a separate host.
  const prefix = issuer.pathname.replace(/\/$/, '');
  await app.register((scope, _options, done) => {
    scope.addHook('onRequest', (request, _reply, next) => {
      rememberClientAddress(platform, request);
      comeFromIssuer(request.raw, issuer);
      next();
    });
    // A preHandler hook, because reading the body loses the async context of earlier hooks.
    scope.addHook('preHandler', (_request, _reply, next) => watchPasswords(next));
    const links = signInLinks(registration, prefix);
    const noticeFor = createNotices(platform);
    addSignInRoutes(scope, { provider, signIn, noticeFor, upstream, links, prefix });
    if (upstream) addUpstreamRoutes(scope, { provider, upstream, noticeFor, records, links, prefix });
    addRegistrationRoutes(scope, registration, protection, prefix);
    addProviderRoutes(scope, currentProvider, prefix);
    done();
  });
}

function addProviderRoutes(app: FastifyInstance, currentProvider: () => Provider, prefix: string): void {
  const answers = new WeakMap<Provider, ReturnType<Provider['callback']>>();
  const answerOf = (provider: Provider): ReturnType<Provider['callback']> => {
    const answer = answers.get(provider) ?? provider.callback();
    answers.set(provider, answer);
    return answer;
  };
  void app.register((scope, _options, done) => {
    judgeForms(scope);
    scope.route({
      method: ['GET', 'HEAD', 'POST', 'OPTIONS'],
      url: `${prefix}/*`,
      exposeHeadRoute: false,
      schema: { hide: true },
      handler(request, reply) {
        handOver(request, reply, prefix);
        void answerOf(currentProvider())(request.raw, reply.raw);
      },
    });
    done();
  });
}

/** Hands the reply over to oidc-provider, with the address below the prefix and without redundant slashes. */
function handOver(request: FastifyRequest, reply: FastifyReply, prefix: string): void {
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  const [address = '/', ...query] = request.raw.url?.split('?') ?? [];
  const path = address.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
  const whole = [path, ...query].join('?');
  Object.assign(request.raw, { originalUrl: whole, url: whole.slice(prefix.length) });
}

/** Overwrites the host of a request with the configured issuer's, from which oidc-provider builds addresses. */
function comeFromIssuer(request: IncomingMessage, issuer: URL): void {
  request.headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
  request.headers['x-forwarded-host'] = issuer.host;
}

/** Notices about the progress of a registration, for people whose account has no access yet. */
function createNotices({ database }: Platform): NoticeFor {
  return async (subject) => {
    const person = await findPerson(database.read, subject);
    return person && noticeOf(person);
  };
}
