export { createIdentity } from './create-identity.ts';
export type { NewUser } from './create-user.ts';
export { createEmbeddedIdentity } from './embedded.ts';
export {
  IdentityProviderUnavailable,
  isApproved,
  type Identity,
  type IdentityProvider,
  type IdentityService,
} from './identity-provider.ts';
