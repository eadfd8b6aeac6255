export { findingEndpoints } from './routes.ts';
