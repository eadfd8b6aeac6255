export { applicationCatalog } from './catalog.ts';
export { onAccessChanged, accessChanged } from './changes.ts';
export { applicationEndpoints } from './routes.ts';
