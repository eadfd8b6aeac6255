import { once } from 'node:events';
import http from 'node:http';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { interactionPolicy, Provider, type KoaContextWithOIDC } from 'oidc-provider';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** A user at the provider: subject and claims. */
export type UpstreamClaims = Readonly<{ sub: string } & Record<string, unknown>>;

/** An OpenID provider that signs in the user that the test chooses, without a prompt. */
export interface TestUpstream {
  readonly issuer: string;
  /** Settings of a platform where people sign in with this provider. */
  readonly settings: Readonly<Record<string, string>>;
  /** The user in front of the browser from now on; null for a user who cancels. */
  person: UpstreamClaims | null;
  /** The connection to the provider, which can be cut. */
  readonly way: TcpProxy;
  close(): Promise<void>;
}

const CLIENT = { client_id: 'kethub-upstream', client_secret: 'a-secret-of-the-test: with/special+characters%' };

/** Models that the provider keeps for 10 minutes. */
const KEPT = ['AccessToken', 'AuthorizationCode', 'Grant', 'IdToken', 'Interaction', 'Session'];

/** Starts a real oidc-provider on a free port of loopback. As usual, claims come from userinfo. */
export async function startTestUpstream(): Promise<TestUpstream> {
  const server = http.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The provider has no port');
  const way = await startTcpProxy(new URL(`http://127.0.0.1:${address.port}`));
  const issuer = way.origin;
  const people = new Map<string, UpstreamClaims>();
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const provider = createProvider(issuer, { ...(await exportJWK(privateKey)), kty: 'EC', alg: 'ES256' }, people);
  const answer = provider.callback();
  const upstream: TestUpstream = {
    issuer,
    settings: {
      KETHUB_SIGN_IN_ISSUER: issuer,
      KETHUB_SIGN_IN_CLIENT_ID: CLIENT.client_id,
      KETHUB_SIGN_IN_CLIENT_SECRET: CLIENT.client_secret,
      KETHUB_SIGN_IN_NAME: 'Example <Lab>',
    },
    person: null,
    way,
    async close() {
      await way.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/sits-there/')) {
      void answer(request, response);
      return;
    }
    const { person } = upstream;
    if (person) people.set(person.sub, person);
    const result = person ? { login: { accountId: person.sub } } : { error: 'access_denied' };
    void provider.interactionFinished(request, response, result);
  });
  return upstream;
}

function createProvider(
  issuer: string,
  key: JWK & { kty: string },
  people: ReadonlyMap<string, UpstreamClaims>,
): Provider {
  const policy = interactionPolicy.base();
  policy.remove('consent');
  const provider: Provider = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [`${issuer}/unused`], id_token_signed_response_alg: 'ES256' }],
    jwks: { keys: [key] },
    ttl: Object.fromEntries(KEPT.map((what) => [what, 600])),
    cookies: { keys: ['of the test'] },
    claims: {
      profile: ['name', 'given_name', 'family_name', 'preferred_username'],
      email: ['email', 'email_verified'],
    },
    features: { devInteractions: { enabled: false } },
    interactions: { policy, url: (_ctx, { uid }) => `/sits-there/${uid}` },
    pkce: { required: () => true },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ ...people.get(accountId), sub: accountId }) }),
    loadExistingGrant: (ctx) => grantAll(provider, ctx),
  });
  // The platform of the test, whose port is not known yet.
  provider.Client.prototype.redirectUriAllowed = (uri) => uri.endsWith('/auth/sign-in/callback');
  return provider;
}

async function grantAll(provider: Provider, { oidc }: KoaContextWithOIDC) {
  const grant = new provider.Grant({
    ...(oidc.account && { accountId: oidc.account.accountId }),
    ...(oidc.client && { clientId: oidc.client.clientId }),
  });
  grant.addOIDCScope('openid profile email');
  await grant.save();
  return grant;
}
