export { requireValidInput } from './require-valid-input.ts';
