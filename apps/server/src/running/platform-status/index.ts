export { platformStatusEndpoints } from './routes.ts';
