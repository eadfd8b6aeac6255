export { implementationCatalog } from './catalog.ts';
export { implementationEndpoints } from './routes.ts';
