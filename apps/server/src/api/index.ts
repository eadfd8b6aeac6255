export { createApi } from './server.ts';
