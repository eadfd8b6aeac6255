export { contextOf, personOf } from './context.ts';
export { endpointsOf, mount, pathId, type Answer, type Call, type Endpoint } from './endpoint.ts';
export { etag, isFresh, requireMatch } from './etag.ts';
export { once } from './idempotency.ts';
export { createIds } from './ids.ts';
export { platformEndpoint, type PlatformEndpoint } from './interface.ts';
export { preferredWait } from './prefer.ts';
export { Problem } from './problem.ts';
export { createHttpServer, type HttpOptions } from './server.ts';
