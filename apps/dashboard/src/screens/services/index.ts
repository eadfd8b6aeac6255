export { NewOnPremise } from './new-on-premise.tsx';
export { NewService } from './new-service.tsx';
export { Services } from './services.tsx';
