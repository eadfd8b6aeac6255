export { digestOf, hashed, noteOf, recordOf, type Kept } from './keep.ts';
export { readProvidedRecord, readRecord } from './read.ts';
