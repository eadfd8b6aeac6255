import { Type, type Static, type TObject } from 'typebox';
import { Refusal } from './refusal.ts';

/** The realm of a Keycloak that is the identity provider. */
export interface KeycloakSettings {
  /** Address of the realm, without a slash at the end. */
  readonly issuer: string;
  readonly audience: string;
  readonly adminClientId: string;
  readonly adminClientSecret: string;
}

/** The settings of the identity provider. */
export const KeycloakFields = {
  KETHUB_IDENTITY_PROVIDER: Type.Enum(['embedded', 'keycloak'], {
    default: 'embedded',
    description:
      'Keeps accounts and signs people in: Kethub itself (`embedded`), or a realm of a Keycloak. The next four settings belong to `keycloak`.',
  }),
  KETHUB_OIDC_ISSUER: Type.Optional(
    Type.String({
      pattern: '^https?://.+/realms/[^/?#]+/?$',
      description:
        'Issuer of the login sessions: address of the realm, exactly as its discovery document names it. Default: none.',
    }),
  ),
  KETHUB_OIDC_AUDIENCE: Type.Optional(
    Type.String({
      description: 'Audience that an access token must name to be accepted. Default: `kethub`.',
    }),
  ),
  KETHUB_KEYCLOAK_ADMIN_CLIENT_ID: Type.Optional(
    Type.String({
      description: 'Client whose service account may view and manage the users of the realm. Default: none.',
    }),
  ),
  KETHUB_KEYCLOAK_ADMIN_CLIENT_SECRET: Type.Optional(
    Type.String({ description: 'Secret of that client. Default: none.' }),
  ),
};

type Given = Static<TObject<typeof KeycloakFields>>;

/**
 * The realm, or null with the embedded provider. Throws Refusal for missing settings, and for settings without
 * effect.
 */
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
