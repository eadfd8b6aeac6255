export { forgetOldEntries } from './keep.ts';
export { audit, ownContext } from './record.ts';
export { SignInRecords } from './sign-ins.ts';
export { auditEndpoints } from './routes.ts';
