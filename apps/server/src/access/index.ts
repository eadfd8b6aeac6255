export { AccessChangeLog } from './change-log.ts';
export { accessChanged, onAccessChanged } from './changes.ts';
export { holds, offersTo, timesOf, type ApplicationOwner, type Interval, type Offer } from './offers.ts';
