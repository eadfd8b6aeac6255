export { jobEndpoints } from './routes.ts';
export { jobScope } from './scope.ts';
