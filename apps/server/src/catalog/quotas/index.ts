export { missingMb, requireFreeSpace } from './free-space.ts';
export { lackOfStorage, storageLeft, storageProblem, takeStorage } from './require.ts';
export { requireStart } from './starts.ts';
export { lockStorage, readStorage, type StorageOwner } from './storage-use.ts';
export { storageCatalog } from './catalog.ts';
export { shortestTimes, type KeptFor } from './rules.ts';
export { storageEndpoints } from './routes.ts';
