export { SharedOverview } from './shared-overview.tsx';
export { SharedRun } from './shared-run.tsx';
export { SharedServicePage } from './shared-service-page.tsx';
export { SharedServices } from './shared-services.tsx';
