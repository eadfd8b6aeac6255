import type { TokenResponse } from '@kethub/contract';
import { attempt, readBody, readJson, withoutSlash, type Connection } from './connection.ts';
import { answerError } from './errors.ts';
import { executionsAt, type ExecutionsEndpoint, type ServiceOperations } from './executions-endpoint.ts';

interface GatewayClientOptions {
  /** {gateway_url}/token. */
  readonly tokenEndpoint: string;
  /** Address of the subscribed service. */
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly fetch?: typeof fetch;
  /** Milliseconds that only grow. */
  readonly now?: () => number;
}

/** One subscribed service. Methods throw KethubError and UnreachableError. */
export interface GatewayClient extends ServiceOperations, ExecutionsEndpoint {
  /** The same application at another of its subscribed services; both share the bearer token. */
  at(endpoint: string): GatewayClient;
}

/** Calls a service through the gateway. Gets its bearer token itself, and a new one before or when it has expired. */
export function createGatewayClient(options: GatewayClientOptions): GatewayClient {
  return clientAt(options.endpoint, options.fetch ?? fetch, bearerSource(options));
}

function clientAt(address: string, fetchIt: typeof fetch, authenticate: Connection['authenticate']): GatewayClient {
  const baseUrl = withoutSlash(address);
  return {
    ...executionsAt({ baseUrl, fetch: fetchIt, authenticate, renewable: true }),
    at: (other) => clientAt(other, fetchIt, authenticate),
  };
}

/** Bearer tokens by the client credentials grant. Calls at the same time share one request for a token. */
function bearerSource(options: GatewayClientOptions): Connection['authenticate'] {
  const now = options.now ?? (() => performance.now());
  let current: { readonly header: string; readonly renewAt: number } | undefined;
  let pending: Promise<string> | undefined;

  async function request(signal: AbortSignal | undefined): Promise<string> {
    const asked = now();
    const token = await requestToken(options, signal);
    // A tenth of the lifetime, at most 30 s, is kept for the way of the request that carries it.
    const lifetime = token.expires_in * 1000;
    current = { header: `Bearer ${token.access_token}`, renewAt: asked + lifetime - Math.min(30_000, lifetime / 10) };
    return current.header;
  }

  return async (renew, signal) => {
    if (renew) current = undefined;
    if (current && now() < current.renewAt) return { authorization: current.header };
    pending ??= request(signal).finally(() => {
      pending = undefined;
    });
    return { authorization: await pending };
  };
}

async function requestToken(options: GatewayClientOptions, signal: AbortSignal | undefined): Promise<TokenResponse> {
  const url = options.tokenEndpoint;
  const response = await attempt(options.fetch ?? fetch, url, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${options.accessKeyId}:${options.secretAccessKey}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    redirect: 'manual',
    ...(signal && { signal }),
  });
  if (!response.ok) throw await readBody(response, signal, () => answerError('POST', url, response));
  return readJson<TokenResponse>(response, signal);
}
