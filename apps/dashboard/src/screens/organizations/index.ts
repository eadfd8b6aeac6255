export { OrganizationPage } from './organization-page.tsx';
export { Organizations } from './organizations.tsx';
