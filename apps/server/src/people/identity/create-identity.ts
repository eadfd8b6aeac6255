import type { Platform } from '../../foundation/platform.ts';
import { createEmbeddedIdentity } from './embedded/embedded.ts';
import type { IdentityService } from './identity-provider.ts';
import { createKeycloakIdentity } from './keycloak/keycloak.ts';

/** Opens the identity provider that the configuration names. */
export async function createIdentity(platform: Platform): Promise<IdentityService> {
  const { keycloak } = platform.configuration;
  return keycloak ? createKeycloakIdentity(platform, keycloak) : createEmbeddedIdentity(platform);
}
