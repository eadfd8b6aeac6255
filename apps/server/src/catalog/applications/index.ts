export { applicationCatalog } from './catalog.ts';
export { subscribe } from './subscribe.ts';
export { readSubscription, unsubscribe } from './subscriptions.ts';
export { applicationEndpoints } from './routes.ts';
export { pageOfApplications } from './queries.ts';
