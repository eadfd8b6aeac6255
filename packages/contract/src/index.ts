/** Every public shape of Kethub, once: it validates requests, types the code and documents the interface. */
export * from './accounts.ts';
export * from './applications.ts';
export * from './data-pools.ts';
export * from './executions.ts';
export * from './fields.ts';
export * from './limits.ts';
export * from './marketplace.ts';
export * from './money.ts';
export * from './on-premise.ts';
export * from './organizations.ts';
export * from './problems.ts';
export * from './provider-tokens.ts';
export * from './registrations.ts';
export * from './services.ts';
export * from './sharing.ts';
export * from './timestamps.ts';
export * from './usage.ts';
