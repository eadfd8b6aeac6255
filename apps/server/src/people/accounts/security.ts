import type { PlatformAccess } from '../../foundation/platform.ts';

/** The two schemes of the interface description. `token` is the address at which login sessions are granted. */
export function securitySchemes(token: string) {
  return {
    oauth2: {
      type: 'oauth2',
      description: 'Login session: `Authorization: Bearer <access token>`. The public client is `kethub`.',
      flows: { password: { tokenUrl: token, refreshUrl: token, scopes: { profile: 'The platform interface.' } } },
    },
    apiKey: { type: 'apiKey', in: 'header', name: 'X-Auth-Token', description: 'A personal access token.' },
  };
}

/** The security requirements of an endpoint in OpenAPI: any one of the listed schemes is enough. */
export function security(access: PlatformAccess): Record<string, string[]>[] {
  const [loginSession, token] = [{ oauth2: ['profile'] }, { apiKey: [] }];
  if (access === 'ANYONE') return [];
  if (access === 'RAW_TOKEN') return [token];
  return access === 'LOGIN_SESSION' ? [loginSession] : [loginSession, token];
}
