export { dataPoolCatalog } from './catalog.ts';
export { dataPoolFileEndpoints, dataPoolUploadEndpoints } from './file-routes.ts';
export { clearOtherPools, clearPools, layOutPools } from './mounts.ts';
export { referencesAmong, referencesIn, requireReadable, type ReferencedPools } from './references.ts';
export { dataPoolEndpoints } from './routes.ts';
