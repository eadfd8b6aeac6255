export { NewService } from './new-service.tsx';
export { Services } from './services.tsx';
