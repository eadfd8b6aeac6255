import type { Platform } from '../../foundation/platform.ts';
import type { Catalog, FindDeletion, OwnerRenamed } from '../deletions/index.ts';
import type { IdentityProvider } from '../identity/index.ts';
import type { LastUses } from './last-uses.ts';
import type { ServiceOfExecution } from './token-scope.ts';
import type { VerifyPersonalAccessToken } from './verify-access-token.ts';

/** The services that the operations of the user account service use. Created once per process. */
export interface AccountServices {
  readonly platform: Platform;
  /** The identity provider without people whose account is deleted or being deleted. */
  readonly identity: IdentityProvider;
  readonly catalogs: readonly Catalog[];
  readonly ownerRenamed: OwnerRenamed;
  readonly findDeletion: FindDeletion;
  readonly verifyPersonalAccessToken: VerifyPersonalAccessToken;
  readonly lastUses: LastUses;
  readonly serviceOfExecution: ServiceOfExecution;
}
