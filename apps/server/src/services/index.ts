export { BuildWorker, releaseLostBuilds } from './builds.ts';
export type { BuiltCode, Builder, BuildOutcome } from './builder.ts';
export { serviceCatalog } from './catalog.ts';
export { serviceEndpoints } from './routes.ts';
export { createRunnables, type Runnable, type Runnables } from './runnables.ts';
export { acceptUploads } from './upload.ts';
export { findService, versionsOf, type VersionWithBuild } from './queries.ts';
export { requireService, requireVersion } from './versions.ts';
