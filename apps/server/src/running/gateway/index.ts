export { createGateway } from './server.ts';
export { gatewayKeyKind } from './signing-key.ts';
