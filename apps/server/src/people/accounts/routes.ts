import {
  AccessTokenDto,
  AccessTokensDto,
  CreateAccessTokenRequest,
  DefaultAccessTokenDto,
  PersonalAccessTokenPrincipal,
  Session,
  UpdateUserRequest,
  UserDto,
} from '@kethub/contract';
import { Type } from 'typebox';
import {
  answerTagged,
  answerUnlessFresh,
  noStore,
  personOf,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { AccountServices } from './services.ts';
import { authorize } from './authorize.ts';
import { createAccessToken, removeAccessToken, putDefaultToken, readAccessTokens } from './access-tokens.ts';
import { deleteMe } from './delete-me.ts';
import { putMe, readMe } from './me.ts';
import { profileImageEndpoints } from './profile-image-routes.ts';
import { endSessions, readSession } from './session.ts';
import { userEndpoints } from './user-routes.ts';

const tag = 'Account';
/** Headers of a profile, which only the browser of its person may keep, and asks about each time. */
const ownCache = { 'cache-control': 'private, no-cache' };
/** The schema does not require a UUID: another text is the id of no token, so the answer is 404 as well. */
const tokenPath = Type.Object({ id: Type.String({ description: 'UUID of the token.' }) });

/** The user account service. */
export const accountEndpoints = (services: AccountServices): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/me',
    id: 'getMe',
    tag,
    access: 'APPROVED',
    summary: 'Read your profile',
    description: 'The first call creates the record from the identity provider.',
    answers: { 200: UserDto, 304: null },
    sends: ['ETag', 'Cache-Control'],
    problems: [],
    handle: async ({ caller, request }) =>
      answerUnlessFresh(request, await readMe(services, personOf(caller)), ownCache),
  }),
  endpoint({
    method: 'PUT',
    path: '/me',
    id: 'updateMe',
    tag,
    access: 'APPROVED',
    summary: 'Change your profile',
    description:
      'A field that is absent or null keeps its value; an empty text clears it. The other fields belong to the identity provider. Takes `If-Match`.',
    body: UpdateUserRequest,
    answers: { 200: UserDto },
    sends: ['ETag', 'Cache-Control'],
    problems: ['stale'],
    handle: async ({ caller, body, request }) =>
      answerTagged(await putMe(services, personOf(caller), body, request.headers['if-match']), ownCache),
  }),
  endpoint({
    method: 'DELETE',
    path: '/me',
    id: 'deleteMe',
    tag,
    access: 'APPROVED_OR_LEAVING',
    summary: 'Delete your account',
    description:
      'Cannot be undone. Deletes the profile, the tokens and the profile image, at last the identity. Refused while the caller is the only owner of something. When it was cut off it can be repeated; Kethub completes it as well.',
    answers: { 204: null },
    problems: ['still-owner', 'catalog-unavailable', 'deletion-incomplete'],
    run: ({ caller }) => deleteMe(services, personOf(caller)),
  }),
  endpoint({
    method: 'GET',
    path: '/session',
    id: 'getSession',
    tag,
    access: 'SIGNED_IN',
    summary: 'Read who you are, what you have joined and what this installation offers',
    description: 'Also for a person whose registration is not approved yet.',
    answers: { 200: Session },
    sends: ['Cache-Control'],
    problems: ['account-being-deleted'],
    run: ({ caller }) => readSession(services, personOf(caller)),
    headers: noStore,
  }),
  endpoint({
    method: 'DELETE',
    path: '/me/sessions',
    id: 'endSessions',
    tag,
    access: 'LOGIN_SESSION',
    summary: 'Sign out everywhere',
    description:
      'Ends all login sessions and refresh tokens, also the own one. Access tokens that were given out end within 15 minutes. Personal access tokens stay.',
    answers: { 204: null },
    problems: [],
    run: ({ caller }) => endSessions(services, personOf(caller)),
  }),
  ...profileImageEndpoints(services),
  endpoint({
    method: 'GET',
    path: '/me/access-tokens',
    id: 'listAccessTokens',
    tag,
    access: 'LOGIN_SESSION',
    summary: 'List personal access tokens, newest first',
    description: 'The default token is shown by value, the others by their metadata.',
    answers: { 200: AccessTokensDto },
    sends: ['Cache-Control'],
    problems: [],
    run: ({ caller }) => readAccessTokens(services, personOf(caller)),
    headers: noStore,
  }),
  endpoint({
    method: 'POST',
    path: '/me/access-tokens',
    id: 'createAccessToken',
    tag,
    access: 'LOGIN_SESSION',
    summary: 'Create a personal access token',
    description: 'Only this answer shows its value.',
    body: CreateAccessTokenRequest,
    answers: { 200: AccessTokenDto },
    sends: ['Cache-Control'],
    problems: ['request-in-progress', 'idempotency-key-reused'],
    run: ({ caller, body, request }) =>
      createAccessToken(services, personOf(caller), body, request.headers['idempotency-key']),
    headers: noStore,
  }),
  endpoint({
    method: 'PUT',
    path: '/me/access-tokens/default',
    id: 'renewDefaultAccessToken',
    tag,
    access: 'LOGIN_SESSION',
    summary: 'Renew the default token',
    description: 'The previous one is invalid at once.',
    answers: { 200: DefaultAccessTokenDto },
    sends: ['Cache-Control'],
    problems: [],
    run: ({ caller }) => putDefaultToken(services, personOf(caller)),
    headers: noStore,
  }),
  endpoint({
    method: 'DELETE',
    path: '/me/access-tokens/:id',
    id: 'deleteAccessToken',
    tag,
    access: 'LOGIN_SESSION',
    summary: 'Delete a personal access token',
    description: 'It is invalid at once.',
    params: tokenPath,
    answers: { 204: null },
    problems: ['not-found'],
    run: ({ caller, params }) => removeAccessToken(services, personOf(caller), params.id),
  }),
  endpoint({
    method: 'POST',
    path: '/authorize',
    id: 'authorize',
    tag,
    access: 'RAW_TOKEN',
    summary: 'Resolve a personal access token into its user',
    description: 'For internal services. Looks at nothing but the header `X-Auth-Token`, which holds the raw token.',
    answers: { 200: PersonalAccessTokenPrincipal },
    sends: ['Cache-Control'],
    problems: ['not-authenticated', 'not-approved', 'outside-token-scope', 'identity-provider-unavailable'],
    run: ({ request }) => {
      const header = request.headers['x-auth-token'];
      return authorize(services, typeof header === 'string' ? header : undefined);
    },
    headers: noStore,
  }),
  ...userEndpoints(services),
];
