export { dataPoolCatalog } from './catalog.ts';
export { dataPoolFileEndpoints, dataPoolUploadEndpoints, leaveBodiesUnread } from './file-routes.ts';
export { dataPoolEndpoints } from './routes.ts';
