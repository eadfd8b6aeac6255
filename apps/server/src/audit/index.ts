export { forgetOldEntries } from './keep.ts';
export { audit, ownContext } from './record.ts';
export { auditEndpoints } from './routes.ts';
