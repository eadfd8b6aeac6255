export { DataPoolPage } from './data-pool-page.tsx';
export { DataPools } from './data-pools.tsx';
