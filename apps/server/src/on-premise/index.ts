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
