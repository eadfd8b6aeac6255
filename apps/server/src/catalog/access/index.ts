export { AccessChangeLog } from './change-log.ts';

export {
  holds,
  offersTo,
  retirementOf,
  subscribableVersions,
  timesOf,
  type ApplicationOwner,
  type Interval,
  type Offer,
  type Retirement,
} from './offers.ts';
