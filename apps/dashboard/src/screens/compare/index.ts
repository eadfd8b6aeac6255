export { Compare } from './compare.tsx';
