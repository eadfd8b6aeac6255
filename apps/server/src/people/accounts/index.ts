export { createAccounts, type Accounts } from './accounts.ts';
export { personName } from './person-name.ts';
export { upsertUser } from './queries.ts';
export { refusals } from './admission-problems.ts';
export { security, securitySchemes } from './security.ts';
