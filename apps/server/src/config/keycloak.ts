import { Refusal } from './refusal.ts';

/** A realm of a Keycloak as the identity provider. */
export interface KeycloakSettings {
  /** Address of the realm, without a slash at the end. */
  readonly issuer: string;
  readonly audience: string;
  readonly adminClientId: string;
  readonly adminClientSecret: string;
}

/** The settings it is made of. */
interface Given {
  readonly KETHUB_IDENTITY_PROVIDER: 'embedded' | 'keycloak';
  readonly KETHUB_OIDC_ISSUER?: string;
  readonly KETHUB_OIDC_AUDIENCE?: string;
  readonly KETHUB_KEYCLOAK_ADMIN_CLIENT_ID?: string;
  readonly KETHUB_KEYCLOAK_ADMIN_CLIENT_SECRET?: string;
}

/** The realm, or null with the embedded provider. Throws Refusal for half of it, or for what would have no effect. */
export function keycloakOf(given: Given): KeycloakSettings | null {
  const needed = {
    KETHUB_OIDC_ISSUER: given.KETHUB_OIDC_ISSUER,
    KETHUB_KEYCLOAK_ADMIN_CLIENT_ID: given.KETHUB_KEYCLOAK_ADMIN_CLIENT_ID,
    KETHUB_KEYCLOAK_ADMIN_CLIENT_SECRET: given.KETHUB_KEYCLOAK_ADMIN_CLIENT_SECRET,
  };
  if (given.KETHUB_IDENTITY_PROVIDER === 'embedded') {
    const all = Object.entries({ ...needed, KETHUB_OIDC_AUDIENCE: given.KETHUB_OIDC_AUDIENCE });
    const idle = all.flatMap(([name, value]) => (value === undefined ? [] : [name]));
    if (idle.length === 0) return null;
    throw new Refusal(
      `${idle.join(', ')} has no effect with the embedded identity provider. Set KETHUB_IDENTITY_PROVIDER=keycloak, or leave it out.`,
    );
  }
  const {
    KETHUB_OIDC_ISSUER: issuer,
    KETHUB_KEYCLOAK_ADMIN_CLIENT_ID: adminClientId,
    KETHUB_KEYCLOAK_ADMIN_CLIENT_SECRET: adminClientSecret,
  } = needed;
  if (issuer === undefined || adminClientId === undefined || adminClientSecret === undefined) {
    const missing = Object.entries(needed).flatMap(([name, value]) => (value === undefined ? [name] : []));
    throw new Refusal(`KETHUB_IDENTITY_PROVIDER=keycloak needs ${missing.join(', ')}.`);
  }
  return {
    issuer: issuer.replace(/\/$/, ''),
    audience: given.KETHUB_OIDC_AUDIENCE ?? 'kethub',
    adminClientId,
    adminClientSecret,
  };
}
