/** The typed client of Kethub: fetch and the contract, nothing else, so that it runs in Node and in a browser. */
export { beginAuthorization } from './authorization-code.ts';

export { jsonTextOf, readBody } from './connection.ts';

export { KethubError, UnreachableError } from './errors.ts';
export { readEvents } from './events.ts';
export { isEnded } from './executions-endpoint.ts';
export type { ExecutionsEndpoint } from './executions-endpoint.ts';
export type { FollowedEntry, FollowOptions } from './follow-log.ts';
export { createGatewayClient } from './gateway-client.ts';
export type { GatewayClient } from './gateway-client.ts';
export { createPlatformClient, isBuilt } from './platform-client.ts';
export type { PlatformClient } from './platform-client.ts';
export { serviceForm, workflowForm } from './service-forms.ts';
export { findSignInEndpoint } from './sign-in-endpoint.ts';
export { signInWithPassword } from './sign-in.ts';
export type { WatchOptions } from './watch.ts';
