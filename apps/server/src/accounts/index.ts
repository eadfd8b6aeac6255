export { createAccounts, type Accounts } from './accounts.ts';
export { security, securitySchemes } from './security.ts';
