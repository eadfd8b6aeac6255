export { ApplicationPage } from './application-page.tsx';
export { Applications } from './applications.tsx';
