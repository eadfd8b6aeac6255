export { createIdentity } from './create-identity.ts';
export { createEmbeddedIdentity } from './embedded/embedded.ts';
export { noticeOf } from './base/notice.ts';
export {
  CLIENT_ID,
  IdentityProviderUnavailable,
  isApproved,
  isSameState,
  isBlocked,
  type Administration,
  type BrowserSignIn,
  type Identity,
  type IdentityProvider,
  type IdentityService,
  type ListedPerson,
  type NewUser,
  type RegisteredPerson,
  type AccountState,
} from './identity-provider.ts';
export { renewKey, SigningKeys, type KeyKind, type KeySet } from './base/signing-keys.ts';
export { oidcKeyKind } from './embedded/keys.ts';
export { SIGN_IN_SCOPE } from './embedded/platform-resource.ts';
