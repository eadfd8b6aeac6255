export { Limits } from './limits.tsx';
export { ListingPage } from './listing-page.tsx';
