export { createEmbeddedIdentity, type EmbeddedIdentity, type NewUser } from './embedded.ts';
export { IdentityProviderUnavailable, isApproved, type Identity, type IdentityProvider } from './identity-provider.ts';
