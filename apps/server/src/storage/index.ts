export { openBlobFolder, type Blobs } from './blobs.ts';
export { isDuplicate, openDatabase, type Database, type Queries } from './database.ts';
export { forgetAnswers } from './kept-answers.ts';
export { createRawToken, digestOf, isWellFormed, sameDigest, type RawTokenPrefix } from './raw-token.ts';
export type * from './schema.ts';
export { beginningOfName, crossesNames, foldCase, searchTextOf } from './search-text.ts';
export { createSeal, instanceKey, type Seal } from './seal.ts';
export { noteUnused, removeUnused, sweepUnusedBlobs, takeIntoUse } from './unused-blobs.ts';
