export { providerTokenCatalog } from './catalog.ts';
export { providerEnvironment } from './environment.ts';
export { providerTokenEndpoints } from './routes.ts';
