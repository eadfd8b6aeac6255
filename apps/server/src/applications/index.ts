export { applicationCatalog } from './catalog.ts';
export { applicationEndpoints } from './routes.ts';
