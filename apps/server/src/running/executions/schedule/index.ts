export { Claims } from './claim.ts';
export { Fitting } from './fitting.ts';
