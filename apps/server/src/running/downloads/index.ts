export { downloadEndpoints } from './routes.ts';
