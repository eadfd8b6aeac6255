export { isAllowed, isOperation, operations, type Operation } from './operations.ts';
