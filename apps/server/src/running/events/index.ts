export { eventEndpoints } from './routes.ts';
