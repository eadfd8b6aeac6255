import { ProviderAccessToken, ProviderAccessTokenRequest, ProviderName } from '@kethub/contract';
import { Type } from 'typebox';
import {
  answerPut,
  contextOf,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { readTokens, removeToken, setToken } from './tokens.ts';

const tag = 'Provider access tokens';
const path = '/provider-access-tokens/:provider';
const params = Type.Object({ provider: ProviderName });

/** Credentials at providers of quantum computers, for the services of their owner that ask for them. */
export const providerTokenEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/provider-access-tokens',
    id: 'listProviderAccessTokens',
    tag,
    access: 'provider-access-token:list',
    summary: 'List provider access tokens, without their API keys',
    answers: { 200: Type.Array(ProviderAccessToken) },
    problems: [],
    run: ({ caller }) => readTokens(platform, contextOf(caller)),
  }),
  endpoint({
    method: 'PUT',
    path,
    id: 'setProviderAccessToken',
    tag,
    access: 'provider-access-token:set',
    summary: 'Set or replace the access token for a provider',
    description:
      'Services whose configuration switches `providerAccessTokens` on get it as environment variables, from their next execution on. It is sealed and never shown again. What user code prints or returns of it is not hidden.',
    params,
    body: ProviderAccessTokenRequest,
    answers: { 200: ProviderAccessToken, 201: ProviderAccessToken },
    problems: ['not-found', 'stale'],
    handle: async ({ params: { provider }, body, caller, request }) =>
      answerPut(await setToken(platform, contextOf(caller), provider, body, request.headers['if-match'])),
  }),
  endpoint({
    method: 'DELETE',
    path,
    id: 'deleteProviderAccessToken',
    tag,
    access: 'provider-access-token:delete',
    summary: 'Delete the access token for a provider',
    params,
    answers: { 204: null },
    problems: ['invalid-request', 'not-found'],
    run: ({ params: { provider }, caller }) => removeToken(platform, contextOf(caller), provider),
  }),
];
