import { Provider } from 'oidc-provider';
import { exportJWK, generateKeyPair } from 'jose';
import { untilInputEnds } from './until-input-ends.ts';

// oidc-provider with one confidential client and its default in-memory store, issuing JWTs like the gateway does.
const { privateKey } = await generateKeyPair('EdDSA', { extractable: true });
const provider = new Provider('http://127.0.0.1', {
  jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'EdDSA', use: 'sig' }] },
  clients: [
    {
      client_id: 'application',
      client_secret: 'secret-of-the-application-0123456789',
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      id_token_signed_response_alg: 'EdDSA',
    },
  ],
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => 'urn:gateway',
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: 'default',
        accessTokenFormat: 'jwt',
        accessTokenTTL: 3600,
        jwt: { sign: { alg: 'EdDSA' } },
      }),
    },
  },
});
const server = provider.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('Not listening');
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${address.port}/token` })}\n`);
});
await untilInputEnds();
server.closeAllConnections();
server.close();
