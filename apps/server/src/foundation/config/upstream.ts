import { Type, type Static, type TObject } from 'typebox';
import type { KeycloakFields } from './keycloak.ts';
import { Refusal } from './refusal.ts';

/** Another OpenID provider at which people can sign in. */
export interface UpstreamSettings {
  /** Issuer, exactly as in its discovery document. */
  readonly issuer: string;
  readonly clientId: string;
  /** null for a public client. */
  readonly clientSecret: string | null;
  /** Name on the sign-in button. */
  readonly name: string;
}

/** The settings of sign-in at another OpenID provider. */
export const UpstreamFields = {
  KETHUB_SIGN_IN_ISSUER: Type.Optional(
    Type.String({
      pattern: '^https?://',
      maxLength: 2_000,
      description:
        'Issuer of another OpenID provider at which people can sign in, beside the embedded one: its address, exactly as its discovery document names it. See [Sign-in](sign-in.md). Default: none.',
    }),
  ),
  KETHUB_SIGN_IN_CLIENT_ID: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'Id of the client that is registered for Kethub at that provider. Default: none.',
    }),
  ),
  KETHUB_SIGN_IN_CLIENT_SECRET: Type.Optional(
    Type.String({ description: 'Secret of that client. Default: none, for a public client.' }),
  ),
  KETHUB_SIGN_IN_NAME: Type.Optional(
    Type.String({
      maxLength: 60,
      description: 'Name of that provider. The button reads `Sign in with <name>`. Default: none.',
    }),
  ),
};

type Given = Static<TObject<typeof UpstreamFields & Pick<typeof KeycloakFields, 'KETHUB_IDENTITY_PROVIDER'>>>;

/** The provider, or null. Throws Refusal for settings that are missing, unsafe or without effect. */
export function upstreamOf(given: Given): UpstreamSettings | null {
  const { KETHUB_SIGN_IN_CLIENT_SECRET: secret } = given;
  const needed = {
    KETHUB_SIGN_IN_ISSUER: given.KETHUB_SIGN_IN_ISSUER,
    KETHUB_SIGN_IN_CLIENT_ID: given.KETHUB_SIGN_IN_CLIENT_ID,
    KETHUB_SIGN_IN_NAME: given.KETHUB_SIGN_IN_NAME?.trim() || undefined,
  };
  const named = Object.entries({ ...needed, KETHUB_SIGN_IN_CLIENT_SECRET: secret }).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
  if (named.length === 0) return null;
  if (given.KETHUB_IDENTITY_PROVIDER === 'keycloak') {
    throw new Refusal(
      `${named.join(', ')} has no effect with Keycloak, where people sign in. Add the provider there (Identity providers), or leave it out.`,
    );
  }
  const { KETHUB_SIGN_IN_ISSUER: issuer, KETHUB_SIGN_IN_CLIENT_ID: clientId, KETHUB_SIGN_IN_NAME: name } = needed;
  if (issuer === undefined || clientId === undefined || name === undefined) {
    const missing = Object.entries(needed).flatMap(([setting, value]) => (value === undefined ? [setting] : []));
    throw new Refusal(`${named.join(', ')} needs ${missing.join(', ')}.`);
  }
  requireSafe(issuer);
  return { issuer, clientId, clientSecret: secret ?? null, name };
}

/**
 * Requires TLS, except on this machine, and no query or fragment (OpenID Connect Discovery 1.0 §3, Core 1.0 §3.1.2).
 */
function requireSafe(issuer: string): void {
  const url = URL.parse(issuer);
  const local = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url && (url.protocol === 'https:' || local) && !url.search && !url.hash && !url.username && !url.password) return;
  throw new Refusal(
    `KETHUB_SIGN_IN_ISSUER=${JSON.stringify(issuer)} must be an https address without query, fragment and password; http only on this machine (localhost).`,
  );
}
