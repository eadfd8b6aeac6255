export { sharingCatalog } from './catalog.ts';
export { sharingEndpoints } from './routes.ts';
export { findSharedService } from './shared-services.ts';
