export { IncidentsPage } from './incidents-page.tsx';
export { InstancePage } from './instance-page.tsx';
export { Instances } from './instances.tsx';
export { Workflows } from './workflows.tsx';
