import { UserDto, type ProblemCode } from '@kethub/contract';
import { personOf, platformEndpoint as endpoint, type PlatformEndpoint } from '../http/index.ts';
import type { AccountServices } from './accounts.ts';
import { readMe } from './read-me.ts';

const door: readonly ProblemCode[] = ['not-authenticated', 'not-approved', 'identity-provider-unavailable'];

/** The user account service. */
export const accountEndpoints = (services: AccountServices): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/me',
    id: 'getMe',
    tag: 'Account',
    access: 'APPROVED',
    summary: 'Read the own profile',
    description: 'The first call creates the record from the identity provider.',
    answers: { 200: UserDto },
    problems: [...door, 'unknown-organization'],
    handle: ({ caller, request }) => readMe(services, personOf(caller), request),
  }),
];
