import { SignInEndpoint } from '@kethub/contract';
import { platformEndpoint as endpoint, type PlatformEndpoint } from '../foundation/http/index.ts';
import { CLIENT_ID, SIGN_IN_SCOPE, type IdentityService } from '../people/identity/index.ts';

/** Answers programs that know only the address of the platform where to sign in. */
export const signInEndpoint = ({ issuer }: IdentityService): PlatformEndpoint =>
  endpoint({
    method: 'GET',
    path: '/sign-in',
    id: 'getSignInEndpoint',
    tag: 'Account',
    access: 'ANYONE',
    summary: 'Read the address of the sign-in',
    description: 'With embedded identities the issuer is {auth_url}, else it is the one of the external provider.',
    answers: { 200: SignInEndpoint },
    problems: [],
    handle: () => ({ status: 200, body: { issuer, clientId: CLIENT_ID, scope: SIGN_IN_SCOPE } }),
  });
