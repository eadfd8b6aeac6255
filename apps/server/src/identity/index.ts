export { CLIENT_ID } from './client.ts';
export { createIdentity } from './create-identity.ts';
export type { NewUser } from './create-user.ts';
export { createEmbeddedIdentity } from './embedded.ts';
export {
  IdentityProviderUnavailable,
  isApproved,
  isSameStanding,
  isShutOut,
  type Administration,
  type Identity,
  type IdentityProvider,
  type IdentityService,
  type RegisteredPerson,
  type Standing,
} from './identity-provider.ts';
export { SIGN_IN_SCOPE } from './platform-resource.ts';
