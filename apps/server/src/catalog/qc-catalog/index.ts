export { qcCatalogEndpoints } from './routes.ts';
