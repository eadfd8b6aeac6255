export { createForwarder, type ForwardedCall, type Forwarder } from './forward.ts';
export { serviceAddressOf, type ServiceAddress } from './path.ts';
export { onPremiseEndpoints } from './routes.ts';
export {
  destinationOf,
  insertTarget,
  presentTarget,
  targetColumns,
  updateTarget,
  type Destination,
  type TargetColumns,
} from './target.ts';
