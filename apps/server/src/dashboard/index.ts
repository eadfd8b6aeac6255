export { Dashboard } from './dashboard.ts';
export { orDashboard, serveDashboard } from './routes.ts';
