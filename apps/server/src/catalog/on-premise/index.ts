export { createForwarder, type Forwarder } from './forward.ts';
export { serviceAddressOf, type ServiceAddress } from './path.ts';
export { createTargetClient, Unanswered, type TargetCall, type TargetClient } from './target-client.ts';
export { onPremiseEndpoints } from './routes.ts';
export { insertTarget, presentTarget, targetColumns, updateTarget, type TargetColumns } from './target.ts';
