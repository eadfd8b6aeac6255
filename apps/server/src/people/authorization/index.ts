export { accessChanged, onAccessChanged } from './access-changed.ts';
