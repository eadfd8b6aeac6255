export { LayerKeeper } from './keeper.ts';
export { layerEndpoints } from './routes.ts';
