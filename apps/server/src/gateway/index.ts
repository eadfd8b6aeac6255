export { createGateway } from './server.ts';
