import type { EventEmitter } from 'node:events';
import { Provider, errors, interactionPolicy, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import type { Platform } from '../../../foundation/platform.ts';
import { isBlocked, type Identity } from '../identity-provider.ts';
import type { KeySet } from '../base/signing-keys.ts';
import { createOidcRecords } from '../base/oidc-records.ts';
import { errorPage, signOutPage, signedOutPage, type Page } from '../base/pages.ts';
import { findPerson } from '../registration/queries.ts';
import { Problem } from '../../../foundation/http/index.ts';
import {
  allowLoopbackCallbacks,
  dashboardCallback,
  dashboardClient,
  isAllowedOrigin,
  isLoopbackCallback,
  isOwnClient,
  kethubClient,
} from './client.ts';
import { LOGIN_SECONDS, type ProviderKeys, type SigningJwk } from './keys.ts';
import { registerPasswordGrant } from './password-grant.ts';
import { API_SCOPE, platformResource } from './platform-resource.ts';
import type { SignIn } from './sign-in.ts';

const MINUTES = 60;

/**
 * The OpenID provider: issuer {auth_url}, two public clients, the password grant, and authorization code with PKCE.
 * oidc-provider gets its keys when it is created, so it is created again when they change. Its state is in the
 * database.
 */
export function createOidcProvider(platform: Platform, keys: ProviderKeys, signIn: SignIn): () => Provider {
  let made: { readonly with: KeySet<SigningJwk>; readonly provider: Provider } | null = null;
  return () => {
    const { keys: current } = keys.signing;
    if (made?.with !== current)
      made = { with: current, provider: makeProvider(platform, current, keys.cookies, signIn) };
    return made.provider;
  };
}

function makeProvider(platform: Platform, keys: KeySet<SigningJwk>, cookies: string, signIn: SignIn): Provider {
  const provider: Provider = new Provider(platform.addresses.auth, {
    ...configuration(platform, keys, cookies),
    loadExistingGrant: (ctx) => grantAll(provider, ctx, platform.addresses.api),
  });
  // Addresses in answers come from the forwarded headers, which the routes overwrite with the configured issuer.
  provider.proxy = true;
  allowLoopbackCallbacks(provider);
  answerUnknown(provider, platform.addresses.problems);
  registerPasswordGrant(provider, signIn, platform.addresses.api);
  const report = (error: Error): void => {
    // Other members are not logged: an error of the database may quote an email address.
    platform.log.error({ type: error.name, message: error.message, stack: error.stack }, 'identity provider failed');
  };
  provider.on('server_error', (_ctx, error) => report(error));
  const koa: EventEmitter = provider;
  koa.on('error', report);
  return provider;
}

function configuration(platform: Platform, { all }: KeySet<SigningJwk>, cookies: string): Configuration {
  const { origin, pathname } = new URL(platform.addresses.auth);
  return {
    adapter: createOidcRecords(platform),
    clients: [kethubClient(origin), dashboardClient(origin)],
    // oidc-provider signs with the first suitable key and publishes all.
    jwks: { keys: [...all] },
    cookies: {
      keys: [cookies],
      names: { session: 'kethub_session', interaction: 'kethub_sign_in', resume: 'kethub_resume' },
      // Limited to this path: all ports of a host share cookies, and the gateway forwards requests to services of
      // others.
      long: { path: pathname, httpOnly: true, sameSite: 'lax' },
    },
    routes: { authorization: '/authorize', revocation: '/revoke', userinfo: '/userinfo', end_session: '/sign-out' },
    scopes: ['openid', 'profile', 'email'],
    claims: {
      openid: ['sub'],
      profile: ['name', 'given_name', 'family_name', 'preferred_username'],
      email: ['email', 'email_verified'],
    },
    findAccount: async (_ctx, subject) => {
      const identity = await findPerson(platform.database.read, subject);
      if (!identity || isBlocked(identity)) return undefined;
      return { accountId: subject, claims: () => claimsOf(identity) };
    },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: resourceIndicators(platform.addresses.api),
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => send(ctx, signOutPage(form, origin)),
        postLogoutSuccessSource: (ctx) => send(ctx, signedOutPage()),
      },
    },
    pkce: { required: () => true },
    interactions: { url: (_ctx, { uid }) => `${platform.addresses.auth}/sign-in/${uid}`, policy: signInPolicy(origin) },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    clientBasedCORS: (_ctx, from) => isAllowedOrigin(from, origin),
    renderError: (ctx, out) => send(ctx, errorPage(out.error_description ?? out.error)),
    ttl: {
      AccessToken: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? 15 * MINUTES,
      AuthorizationCode: MINUTES,
      IdToken: 15 * MINUTES,
      Interaction: 30 * MINUTES,
      Session: LOGIN_SECONDS,
      Grant: LOGIN_SECONDS,
      RefreshToken: LOGIN_SECONDS,
    },
  };
}

/** The scope `profile` gives a token for the platform interface; `openid` alone gives one for userinfo. */
function resourceIndicators(api: string) {
  return {
    enabled: true,
    defaultResource: () => api,
    useGrantedResource: (_ctx: KoaContextWithOIDC, source: { scopes: Set<string> }) => source.scopes.has(API_SCOPE),
    getResourceServerInfo(_ctx: KoaContextWithOIDC, resource: string) {
      if (resource !== api) throw new errors.InvalidTarget(`the only resource is ${api}`);
      return platformResource(api);
    },
  };
}

/**
 * Clients of the platform need no consent. A program on the person's machine is known by its port only. So the person
 * signs in each time for it, even with an open session (RFC 8252 §8.6).
 */
function signInPolicy(origin: string) {
  const policy = interactionPolicy.base();
  policy.remove('consent');
  const { Check } = interactionPolicy;
  policy.get('login')?.checks.add(
    new Check('no_account', 'the account of the session is gone or switched off', (ctx) => {
      const { session, account } = ctx.oidc;
      return session?.accountId !== undefined && !account ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT;
    }),
  );
  policy.get('login')?.checks.add(
    new Check('local_program', 'a program on this machine asks for access', (ctx) => {
      const { params, result } = ctx.oidc;
      const target = String(params?.['redirect_uri']);
      const local = isLoopbackCallback(target) && target !== dashboardCallback(origin);
      return local && !result?.login ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT;
    }),
  );
  return policy;
}

/** Creates the grant of a client of the platform without asking for consent. */
async function grantAll(provider: Provider, ctx: KoaContextWithOIDC, api: string) {
  const { session, client } = ctx.oidc;
  const { accountId } = session ?? {};
  const clientId = client?.clientId;
  if (!accountId || !isOwnClient(clientId)) return undefined;
  const known = session?.grantIdFor(clientId);
  const existing = known ? await provider.Grant.find(known) : undefined;
  if (existing && existing.accountId === accountId) return existing;
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope('openid profile email');
  grant.addResourceScope(api, API_SCOPE);
  await grant.save();
  return grant;
}

function claimsOf(identity: Identity) {
  return {
    sub: identity.id,
    name: `${identity.firstname} ${identity.lastname}`,
    given_name: identity.firstname,
    family_name: identity.lastname,
    preferred_username: identity.username,
    email: identity.email,
    email_verified: identity.emailVerified,
  };
}

function send(ctx: KoaContextWithOIDC, { html, headers }: Page): void {
  ctx.set({ ...headers });
  ctx.body = html;
}

/** Answers unknown addresses below {auth_url} with 404: a page for a browser, a problem for a program. */
function answerUnknown(provider: Provider, problemsUrl: string): void {
  // The provider sees addresses below that of the issuer.
  const prefix = new URL(provider.issuer).pathname.replace(/\/$/, '');
  provider.use(async (ctx, next) => {
    await next();
    // An empty 404 means that no route of the provider matched; its own errors have a body.
    if (ctx.status !== 404 || ctx.body) return;
    const pathname = prefix + ctx.path;
    if (ctx.accepts('json', 'html') === 'html') {
      const { html, headers } = errorPage(`There is nothing at ${pathname}.`);
      ctx.set({ ...headers });
      ctx.body = html;
    } else {
      const problem = new Problem('not-found', `There is nothing at ${pathname}.`);
      ctx.body = JSON.stringify(problem.document(problemsUrl, pathname));
      ctx.type = 'application/problem+json';
    }
    // Koa sets 200 when the body is set.
    ctx.status = 404;
  });
}
