/** The typed client of Kethub: fetch and the contract, nothing else, so that it runs in Node and in a browser. */
export { beginAuthorization } from './authorization-code.ts';
export type { Authorization, AuthorizationRequest } from './authorization-code.ts';
export type { CallOptions } from './connection.ts';
export type { DataPoolContent, DataPoolParty, DataPoolUploadOptions } from './data-pools-client.ts';
export type { IdentityProvider } from './discovery.ts';
export { KethubError, UnreachableError } from './errors.ts';
export type { FollowedEntry, FollowOptions } from './follow-log.ts';
export { isEnded } from './executions-client.ts';
export type { ExecutionInput, ExecutionsClient, ResultResponse, StartOptions } from './executions-client.ts';
export { createGatewayClient } from './gateway-client.ts';
export type { GatewayClient, GatewayClientOptions } from './gateway-client.ts';
export type { MarketplaceQuery } from './marketplace-client.ts';
export { createPlatformClient, isBuilt, isManaged } from './platform-client.ts';
export type {
  Credential,
  NewOnPremiseService,
  NewService,
  NewTarget,
  PlatformClient,
  PlatformClientOptions,
  RegistrationsQuery,
} from './platform-client.ts';
export { findSignInPlace } from './sign-in-place.ts';
export { signInWithPassword, type PasswordSignIn } from './sign-in.ts';
export type { WatchOptions } from './watch.ts';
export type { NewWorkflow } from './workflows-client.ts';
