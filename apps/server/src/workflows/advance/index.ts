export { advance, type Batch } from './advancer.ts';
export { DEPTH, eventRow } from './effects.ts';
