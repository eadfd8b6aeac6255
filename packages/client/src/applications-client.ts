import type {
  AccessKey,
  Application,
  ProviderAccessToken,
  ProviderAccessTokenRequest,
  SubscribeRequest,
  Subscription,
} from '@kethub/contract';
import { path, sendForJson, sendForNothing, type CallOptions, type Connection } from './connection.ts';

export function applicationsAt(connection: Connection) {
  return {
    applications: (options?: CallOptions) =>
      sendForJson<Application[]>(connection, { path: '/applications', ...options }),
    application: (id: string, options?: CallOptions) =>
      sendForJson<Application>(connection, { path: path`/applications/${id}`, ...options }),
    /** The secret access key stands in clear in this answer. */
    createApplication: (name: string, options?: CallOptions) =>
      sendForJson<Application>(connection, { method: 'POST', path: '/applications', json: { name }, ...options }),
    deleteApplication: (id: string, options?: CallOptions) =>
      sendForNothing(connection, { method: 'DELETE', path: path`/applications/${id}`, ...options }),
    revealSecret: async (id: string, accessKey: string, options?: CallOptions): Promise<string> => {
      const call = { path: path`/applications/${id}/access-keys/${accessKey}/secret`, ...options };
      return (await sendForJson<{ secretAccessKey: string }>(connection, call)).secretAccessKey;
    },
    /** A new key pair; the previous ones still work for so many seconds. */
    rotateAccessKey: (id: string, overlapSeconds: number, options?: CallOptions) =>
      sendForJson<AccessKey>(connection, {
        method: 'POST',
        path: path`/applications/${id}/access-keys`,
        json: { overlapSeconds },
        ...options,
      }),
    subscriptions: (id: string, options?: CallOptions) =>
      sendForJson<Subscription[]>(connection, { path: path`/applications/${id}/subscriptions`, ...options }),
    /** With `pricingPlanId` on a plan of the marketplace. */
    subscribe: (id: string, to: SubscribeRequest, options?: CallOptions) =>
      sendForJson<Subscription>(connection, {
        method: 'POST',
        path: path`/applications/${id}/subscriptions`,
        json: to,
        ...options,
      }),
    unsubscribe: (id: string, subscription: string, options?: CallOptions) =>
      sendForNothing(connection, {
        method: 'DELETE',
        path: path`/applications/${id}/subscriptions/${subscription}`,
        ...options,
      }),
  };
}

export function providerAccessTokensAt(connection: Connection) {
  return {
    providerAccessTokens: (options?: CallOptions) =>
      sendForJson<ProviderAccessToken[]>(connection, { path: '/provider-access-tokens', ...options }),
    setProviderAccessToken: (provider: string, token: ProviderAccessTokenRequest, options?: CallOptions) =>
      sendForJson<ProviderAccessToken>(connection, {
        method: 'PUT',
        path: path`/provider-access-tokens/${provider}`,
        json: token,
        ...options,
      }),
    deleteProviderAccessToken: (provider: string, options?: CallOptions) =>
      sendForNothing(connection, { method: 'DELETE', path: path`/provider-access-tokens/${provider}`, ...options }),
  };
}
