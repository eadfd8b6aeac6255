export { requireFitting } from './require-fitting.ts';
