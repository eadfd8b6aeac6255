export { AccessDirectory } from './directory.ts';
export { isDuring, offersTo, subscribableVersions, type Offer } from './offers.ts';
export { addressKey, type ApplicationAccess, type SubscribedRetirement, type Subscriber } from './subscriber.ts';
