export { accessChanged, onAccessChanged } from './changes.ts';
export { holds, offersTo, type ApplicationOwner, type Basis, type Interval, type Offer } from './offers.ts';
