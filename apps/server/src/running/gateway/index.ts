export { createGateway } from './server.ts';
export { gatewayKeyKind } from './signing-key.ts';
export { createAccessDirectory, type AccessDirectory, type ApplicationAccess, type Subscriber } from './access.ts';
