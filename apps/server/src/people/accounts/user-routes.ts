import {
  BatchUserRequest,
  BatchUserResponseDto,
  RegistrationResponse,
  UserOverviewDto,
  UserSearchDto,
  limits,
  worded,
} from '@kethub/contract';
import { Type } from 'typebox';
import { noStore, personOf, platformEndpoint as endpoint, type PlatformEndpoint } from '../../foundation/http/index.ts';
import type { AccountServices } from './services.ts';
import { readRegistrationStatus } from './registration-status.ts';
import { searchUsers } from './search-users.ts';
import { userPath } from './user-path.ts';
import { requireApproved } from './approved-users.ts';
import { userOverview } from './present.ts';

const tag = 'Users';
/** Query with an email address. Only the @ and the length are checked; the identity provider compares the address. */
const registrationQuery = Type.Object({
  email: Type.String({
    pattern: worded(String.raw`^[^@\s\u0000]+@[^@\s\u0000]+$`, 'must be an e-mail address such as ada@example.org'),
    maxLength: 320,
  }),
});
const searchQuery = Type.Object({
  q: Type.String({
    minLength: 1,
    description: 'Parts of a first name, last name or username, in any order; upper or lower case.',
  }),
});

/** Endpoints that look up other people. Only approved users are found. */
export const userEndpoints = (services: AccountServices): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/users/:id',
    id: 'getUser',
    tag,
    access: 'APPROVED',
    summary: 'Read the name of a user',
    params: userPath,
    answers: { 200: UserOverviewDto },
    problems: ['not-found'],
    lookup: { cost: 1 },
    run: async ({ params }) => userOverview(await requireApproved(services.identity, params.id)),
  }),
  endpoint({
    method: 'HEAD',
    path: '/users/:id',
    id: 'headUser',
    tag,
    access: 'ANYONE',
    summary: 'Check that a user exists',
    params: userPath,
    answers: { 204: null },
    problems: ['not-found', 'identity-provider-unavailable'],
    lookup: { cost: 1 },
    run: async ({ params }) => void (await requireApproved(services.identity, params.id)),
  }),
  endpoint({
    method: 'POST',
    path: '/users/batch',
    id: 'getUsers',
    tag,
    access: 'ANYONE',
    summary: `Read the names of at most ${limits.batchUsers} users`,
    description: 'An unknown id fails nothing: it comes back in `notFound`.',
    body: BatchUserRequest,
    answers: { 200: BatchUserResponseDto },
    problems: ['identity-provider-unavailable'],
    // Ten ids cost one unit: ids cannot be guessed, and a page that shows many people reads them at once.
    lookup: { cost: 1, costOfBody: ({ ids }) => Math.ceil(ids.length / 10) },
    run: ({ body }) => readUsers(services, body),
  }),
  endpoint({
    method: 'GET',
    path: '/user-registration-status',
    id: 'getRegistrationStatus',
    tag,
    access: 'SIGNED_IN',
    summary: 'Read how far the registration of an e-mail address is',
    query: registrationQuery,
    answers: { 200: RegistrationResponse },
    problems: [],
    // Addresses can be guessed, so a call is expensive: 50 a minute suffice to wait for one's own registration.
    lookup: { cost: 20 },
    run: ({ caller, query }) => readRegistrationStatus(services, personOf(caller), query.email),
    headers: noStore,
  }),
  endpoint({
    method: 'GET',
    path: '/search',
    id: 'searchUsers',
    tag,
    access: 'APPROVED',
    summary: 'Search users by name',
    description: `At most ${limits.searchedUsers}, best match first: the beginning of a name before its inside, then by last name and first name. E-mail addresses are never matched.`,
    query: searchQuery,
    answers: { 200: Type.Array(UserSearchDto) },
    problems: [],
    // A search returns up to 20 people. The limit suffices for a search at every key stroke.
    lookup: { cost: 5 },
    run: ({ query }) => searchUsers(services, query.q),
  }),
];

/** Resolves ids. Unknown ids are listed in the answer, and do not fail the request. */
async function readUsers({ identity }: AccountServices, { ids }: BatchUserRequest): Promise<BatchUserResponseDto> {
  const asked = [...new Set(ids)];
  const found = await identity.findApproved(asked);
  return {
    users: found.filter((user) => user !== null).map(userOverview),
    notFound: asked.filter((_id, index) => found[index] === null).join(','),
  };
}
