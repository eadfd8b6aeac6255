import type { Addresses, PlatformAccess } from '../platform.ts';

/** The two schemes of the interface description. */
export function securitySchemes(addresses: Addresses) {
  const token = `${addresses.auth}/token`;
  return {
    oauth2: {
      type: 'oauth2',
      description: 'Login session: `Authorization: Bearer <access token>`. The public client is `kethub`.',
      flows: { password: { tokenUrl: token, refreshUrl: token, scopes: { profile: 'The platform interface.' } } },
    },
    apiKey: { type: 'apiKey', in: 'header', name: 'X-Auth-Token', description: 'A personal access token.' },
  };
}

/** What an endpoint of this access asks for, in the words of OpenAPI: any one of the listed. */
export function security(access: PlatformAccess): Record<string, string[]>[] {
  const loginSession = { oauth2: ['profile'] };
  if (access === 'ANYONE') return [];
  return access === 'LOGIN_SESSION' ? [loginSession] : [loginSession, { apiKey: [] }];
}
