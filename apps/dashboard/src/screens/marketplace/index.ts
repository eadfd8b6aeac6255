export { Marketplace } from './marketplace.tsx';
export { OfferPage } from './offer-page.tsx';
