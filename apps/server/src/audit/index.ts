export { audit } from './record.ts';
export { auditEndpoints } from './routes.ts';
