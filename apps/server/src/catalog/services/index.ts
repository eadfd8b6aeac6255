export { LayerKeeper, layerEndpoints } from './layers/index.ts';
export { BuildWorker, onBuildsChanged, releaseLostBuilds } from './builds/index.ts';
export type { Builders } from './builder.ts';
export { serviceCatalog } from './catalog.ts';
export { addVersion } from './add-version.ts';
export { replaceSource } from './change-versions.ts';
export { publish } from './publish-version.ts';
export { createService } from './create-service.ts';
export { draftWriterOf } from './draft-writers.ts';
export { storeSource, type Source, type SourceOrigin } from './source.ts';
export { serviceEndpoints } from './routes.ts';
export { createRunnables, type Runnable, type Runnables } from './runnables.ts';
export { acceptUploads, readParts } from './upload.ts';
export { specificationFor, subscribersSpecification } from './api-specification.ts';
export { answerSpecification } from './specification-routes.ts';
export { stateOf } from './present.ts';
export { programOf, type Program } from './program.ts';
export { declaredHosts } from './hosts.ts';
export {
  everyVersion,
  findService,
  newestVersions,
  findVersion,
  newestPublished,
  pageOfServices,
  sharedVersions,
  type PublishedVersion,
  type VersionRow,
} from './queries.ts';
export { needsOf, requireResources } from './resources.ts';
export { requireValidInput } from './input/index.ts';
export { downloadBuildLog, readSource } from './read-services.ts';
export { requireManagedVersion, requireService, requireVersion } from './versions.ts';
export {
  createRequestCheck,
  findWorkflowVersion,
  requireDeployable,
  requirementsIn,
  type RequestCheck,
} from './workflow/index.ts';
