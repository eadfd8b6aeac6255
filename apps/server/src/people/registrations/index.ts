export { registrationEndpoints } from './routes.ts';
