export { advance, type Batch } from './advancer.ts';
export type { Taker } from './hand-over.ts';
export { DEPTH } from './effects.ts';
export { eventRow, insertEvents, type NewEvent } from './events.ts';
export { inTurns, Turns } from './turns.ts';
