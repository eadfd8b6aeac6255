export { advance, Advancing, type Batch } from './advancer.ts';
export { RecentInstances } from './recent.ts';
export { LARGEST_BATCH, Inbox, type Ended } from './inbox.ts';
export { HandOver, type Taker } from './hand-over.ts';
export { DEPTH, gatherEffects, type Effects } from './effects.ts';
export { reduce, type Next } from './reduce.ts';
export { jobColumns, timerColumns } from './store.ts';
export { eventRow, insertEvents, type NewEvent } from './events.ts';
export { Turns } from './turns.ts';
